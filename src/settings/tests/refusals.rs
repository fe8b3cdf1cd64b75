use super::*;

/// For every variable that can be wrong on its own, a value that is.
const WRONG: &[(&str, &str)] = &[
    ("PORT", "0"),
    ("BIND", "localhost"),
    ("NODE_ENV", "staging"),
    ("LOG_LEVEL", "loud"),
    ("NEXT_PUBLIC_APP_URL", "example.com"),
    ("NEXT_PUBLIC_API_URL", "ftp://example.com"),
    ("API_URL", "http://example.com/?a=b"),
    ("SERVICE_BASE_URL", "http://"),
    ("AUTH_BYPASS", "perhaps"),
    ("DATABASE_URL", "mysql://localhost/blazon"),
    ("NEXT_PUBLIC_DATABASE_URL", "https://project.example.com"),
    ("DATABASE_SERVICE_ROLE_KEY", "two words"),
    ("NEXT_PUBLIC_DATABASE_ANON_KEY", "schlüssel"),
    ("EGRESS_ALLOW_CIDRS", "10.0.0.0/8,10.0.0.0/40"),
    ("EGRESS_CA_CERT", "/nowhere/ca.pem"),
    ("PROXY_DATACENTER_URL", "ftp://proxy.example.com"),
    ("PROXY_RESIDENTIAL_URL", "proxy.example.com:8080"),
    ("PROXY_ISP_URL", "https://proxy.example.com"),
    ("PROXY_ESCALATION_ENABLED", "yes"),
    ("PROXY_SKIP_DIRECT", "2"),
    ("PROXY_MAX_RETRIES_PER_TIER", "11"),
    ("PROXY_REQUEST_TIMEOUT", "99"),
    ("PROXY_ESCALATION_STATUS_CODES", "403,200"),
    ("BROWSER_POOL_URL", "http://worker:3002,worker:3002"),
    ("BROWSER_POOL_SIZE", "65"),
    ("BROWSER_MEMORY_MB", "100"),
    ("MAX_CONCURRENT_PAGES", "-1"),
    ("PAGE_TIMEOUT", "600001"),
    ("BROWSER_EXECUTABLE", "/nowhere/chromium"),
    ("BROWSER_ALLOW_NO_SANDBOX", "no"),
    ("HOSTING_API_TOKEN", "two words"),
    ("POOL_SIZE", "0"),
    ("MAX_CONTEXTS", "many"),
    ("CACHESTORE_REST_URL", "memcached://localhost"),
    ("CACHESTORE_REST_TOKEN", "two words"),
    ("CACHE_TTL_BRAND", "-1"),
    ("CACHE_TTL_BRAND_SIMPLE", "7 days"),
    ("CACHE_TTL_HTML", "1h"),
    ("CACHE_TTL_MARKDOWN", "1.5"),
    ("CACHE_TTL_SCREENSHOT", "31536001"),
    ("CACHE_TTL_SITEMAP", "never"),
    ("CACHE_TTL_NAICS", "x"),
    ("CACHE_TTL_FONTS", "0x10"),
    ("PLANS_FILE", "/nowhere/plans.json"),
    ("COMPAT_LLM_API_KEY", "two words"),
    ("COMPAT_LLM_BASE_URL", "localhost:8000"),
    ("ALT_LLM_API_KEY", "two words"),
    ("ALT_LLM_BASE_URL", "::"),
    ("LLM_DEFAULT_MODEL", "two words"),
    ("LLM_EXTRACTION_MODEL", "two words"),
    ("LLM_CLASSIFICATION_MODEL", "two words"),
    ("LLM_QUERY_MODEL", "two words"),
    ("STORAGE_PROVIDER", "floppy"),
    ("OBJECT_STORE_ACCESS_KEY", "two words"),
    ("OBJECT_STORE_SECRET_KEY", "two words"),
    ("OBJECT_STORE_ENDPOINT", "objects.example.com"),
    ("OBJECT_STORE_BUCKET", "Assets"),
    ("S3COMPAT_ACCESS_KEY_ID", "two words"),
    ("S3COMPAT_SECRET_ACCESS_KEY", "two words"),
    ("S3COMPAT_BUCKET", "-assets"),
    ("S3COMPAT_REGION", "two words"),
    ("EMAIL_API_KEY", "two words"),
    ("EMAIL_SMTP_URL", "smtp.example.com"),
    ("EMAIL_FROM", "no-reply"),
    ("PAYMENT_SECRET_KEY", "two words"),
    ("PAYMENT_WEBHOOK_SECRET", "two words"),
    ("NEXT_PUBLIC_PAYMENT_PUBLISHABLE_KEY", "two words"),
    ("JOBS_API_URL", "jobs"),
    ("JOBS_SECRET_KEY", "two words"),
];

/// Any text is a folder, the host map is parsed where it is used, and a key is
/// judged by the server.
const NEVER_WRONG: &[&str] = &["BLAZON_API_KEY", "DATA_DIR", "EGRESS_HOSTS"];

#[test]
fn a_wrong_value_names_its_variable_and_gives_an_example() {
    for (name, value) in WRONG {
        let error = load(&[(name, value)]).expect_err(name);
        let variable = variables().find(|variable| variable.name == *name).expect(name);
        assert!(error.problems.iter().any(|problem| problem.variable == *name), "{name}: {error}");
        assert!(error.to_string().contains(&format!("for example {name}={}", variable.example)), "{error}");
    }
}

#[test]
fn every_variable_can_be_wrong_or_is_known_not_to() {
    let covered: BTreeSet<_> = WRONG.iter().map(|(name, _)| *name).chain(NEVER_WRONG.iter().copied()).collect();
    assert_eq!(covered, variables().map(|variable| variable.name).collect());
}

#[test]
fn every_problem_is_reported_at_once_in_one_readable_message() {
    let error = refusal(&[("PORT", "abc"), ("PAGE_TIMEOUT", "5"), ("PROXY_ESCALATION_STATUS_CODES", "403,teapot")]);
    let expected = "the configuration is not valid
  PORT: \"abc\" is not a port number (1 to 65535), for example PORT=3001
  PROXY_ESCALATION_STATUS_CODES: \"403,teapot\" is a list whose item 2 is not a whole number from 400 to 599, for \
                    example PROXY_ESCALATION_STATUS_CODES=403,429,503,520,521,522,523,524
  PAGE_TIMEOUT: \"5\" is not a whole number of milliseconds from 100 to 600000, for example PAGE_TIMEOUT=30000";
    assert_eq!(error, expected);
}

#[test]
fn all_wrong_values_together_are_all_reported() {
    let error = load(WRONG).expect_err("all are wrong");
    let reported: BTreeSet<_> = error.problems.iter().map(|problem| problem.variable).collect();
    assert_eq!(reported, WRONG.iter().map(|(name, _)| *name).collect());
}

#[test]
fn authentication_cannot_be_bypassed_in_production() {
    let error = refusal(&[("NODE_ENV", "production"), ("AUTH_BYPASS", "true")]);
    assert!(
        error.contains("AUTH_BYPASS: it is on while NODE_ENV is production, for example AUTH_BYPASS=false"),
        "{error}"
    );
    let settings = settings(&[("NODE_ENV", "test"), ("AUTH_BYPASS", "1")]);
    assert!(settings.http.auth_bypass && settings.warnings[0].starts_with("AUTH_BYPASS is on"));
}

#[test]
fn a_provider_without_its_variables_is_an_error() {
    let error = load(&[("STORAGE_PROVIDER", "s3_compatible"), ("S3COMPAT_BUCKET", "assets")]).expect_err("incomplete");
    let names: Vec<_> = error.problems.iter().map(|problem| problem.variable).collect();
    assert_eq!(names, ["S3COMPAT_ACCESS_KEY_ID", "S3COMPAT_SECRET_ACCESS_KEY", "S3COMPAT_REGION"]);
    let error = refusal(&[("OBJECT_STORE_ACCESS_KEY", "id"), ("OBJECT_STORE_SECRET_KEY", "key")]);
    assert!(error.contains("OBJECT_STORE_ENDPOINT: it is not set, and an object store needs it"), "{error}");
    let error = refusal(&[("CACHESTORE_REST_URL", "https://cache.example.com")]);
    assert!(error.contains("CACHESTORE_REST_TOKEN: it is not set"), "{error}");
    let error = refusal(&[("EMAIL_API_KEY", "password"), ("EMAIL_SMTP_URL", "smtp://localhost:2525")]);
    assert!(error.contains("EMAIL_FROM: it is not set"), "{error}");
}

#[test]
fn what_is_valid_but_likely_not_meant_is_a_warning() {
    let warning = |pairs: &[(&str, &str)]| settings(pairs).warnings.join("\n");
    assert!(warning(&[("BROWSER_ALLOW_NO_SANDBOX", "true")]).contains("BROWSER_ALLOW_NO_SANDBOX is on"));
    assert!(warning(&[("JOBS_API_URL", "https://jobs.example.com")]).contains("JOBS_API_URL differs"));
    assert!(warning(&[("JOBS_SECRET_KEY", "fifteen-letters")]).contains("JOBS_SECRET_KEY is short"));
    assert_eq!(warning(&[("JOBS_SECRET_KEY", "sixteen-letters!")]), "");
    assert!(warning(&[("EGRESS_ALLOW_CIDRS", "0.0.0.0/0")]).contains("allows every address"));
    assert!(warning(&[("PROXY_SKIP_DIRECT", "true")]).contains("requests are direct"));
    assert_eq!(warning(&[("PROXY_ISP_URL", "socks5://proxy:1080")]), "");
    assert!(warning(&[("EMAIL_API_KEY", "password")]).contains("mail stays off"));
    assert!(
        warning(&[("COMPAT_LLM_BASE_URL", "http://localhost:8000")]).contains("no effect without COMPAT_LLM_API_KEY")
    );
    assert_eq!(warning(&[("CACHE_TTL_FONTS", "5")]), "CACHE_TTL_FONTS is set, but this version does not use it yet");
    assert_eq!(warning(&[("JOBS_API_URL", "sqlite://a.db"), ("DATABASE_URL", "sqlite://a.db")]), "");
}

#[test]
fn no_secret_is_in_an_error() {
    let secrets: Vec<_> = variables().filter(|variable| variable.secret).map(|variable| variable.name).collect();
    assert!(secrets.len() > 15, "{secrets:?}");
    for name in secrets {
        let error = refusal(&[(name, "hunter2 ü")]);
        assert!(error.contains(name) && error.contains("the value "), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
    let error = refusal(&[("API_URL", "http://user:hunter2@localhost")]);
    assert!(
        error.contains("API_URL: the value holds a user name or password") && !error.contains("hunter2"),
        "{error}"
    );
}

#[test]
fn no_secret_is_in_what_debug_prints() {
    let secret = |variable: &&Variable| variable.secret;
    let with_secret = |variable: &Variable| match variable.example.split_once("://") {
        Some((scheme, rest)) => format!("{scheme}://user:hunter2@{}", rest.rsplit('@').next().expect("a part")),
        None => "hunter2".to_owned(),
    };
    let mut pairs: Vec<_> = variables().filter(secret).map(|v| (v.name, with_secret(v))).collect();
    pairs.push(("OBJECT_STORE_ENDPOINT", "https://objects.example.com".to_owned()));
    pairs.push(("EMAIL_FROM", "no-reply@example.com".to_owned()));
    let settings = Settings::from_source(&pairs.into_iter().collect()).expect("the values are valid");
    assert!(settings.email.is_some() && settings.proxy.has_proxy());
    let shown = format!("{settings:?}");
    assert!(shown.contains("***") && !shown.contains("hunter2"), "{shown}");
}
