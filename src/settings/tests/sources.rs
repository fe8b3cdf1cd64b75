use super::*;

#[test]
fn the_environment_wins_over_the_file() {
    let file = "PORT=4000\nLOG_LEVEL=debug # talkative\nEMAIL_FROM='Blazon <no-reply@example.com>'\n";
    let settings = merged(&[("PORT", "5000")], file).expect("both are valid");
    assert_eq!((settings.http.port, settings.http.log_level), (5000, LogLevel::Debug));
}

#[test]
fn an_empty_value_counts_as_unset() {
    assert_eq!(settings(&[("PORT", ""), ("DATABASE_URL", "  ")]), settings(&[]));
}

#[test]
fn an_empty_variable_in_the_environment_switches_off_what_the_file_sets() {
    assert_eq!(merged(&[("PORT", "")], "PORT=4000").expect("both are valid").http.port, 3001);
}

#[test]
fn a_value_that_is_not_utf8_is_reported_under_its_name() {
    use std::os::unix::ffi::OsStringExt;
    let garbage = || OsString::from_vec(vec![0xff]);
    let error = Source::merged([("LOG_LEVEL".to_owned(), garbage())], "").err().expect("not UTF-8").to_string();
    assert!(error.contains("LOG_LEVEL: the value is not UTF-8"), "{error}");
    assert!(Source::merged([("SOMEBODY_ELSES".to_owned(), garbage())], "").is_ok());
}

#[test]
fn a_broken_line_of_the_file_is_named_by_its_number_and_not_shown() {
    let error = merged(&[], "PORT=4000\nDATABASE_URL 'hunter2\n").expect_err("line 2 is broken").to_string();
    assert!(error.contains(".env: line 2 is not NAME=value"), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
}

#[test]
fn the_database_has_two_names_and_its_own_wins() {
    let (own, alias) = (("DATABASE_URL", "sqlite://own.db"), ("NEXT_PUBLIC_DATABASE_URL", "sqlite://alias.db"));
    assert_eq!(settings(&[alias]).database.url.expose(), "sqlite://alias.db");
    let both = settings(&[own, alias]);
    assert_eq!(both.database.url.expose(), "sqlite://own.db");
    assert_eq!(both.warnings, ["NEXT_PUBLIC_DATABASE_URL differs from DATABASE_URL and is ignored"]);
    assert!(settings(&[own, ("NEXT_PUBLIC_DATABASE_URL", "sqlite://own.db")]).warnings.is_empty());
}

#[test]
fn the_data_folder_moves_the_database_and_the_assets() {
    let settings = settings(&[("DATA_DIR", "/var/lib/blazon")]);
    assert_eq!(settings.database.url.expose(), "sqlite:///var/lib/blazon/blazon.db");
    assert_eq!(settings.storage, StorageSettings::Files("/var/lib/blazon/assets".into()));
}

#[test]
fn a_plans_file_is_read_from_where_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.json");
    let path = path.to_str().expect("UTF-8");
    fs::write(path, r#"{"starter": {"per_day": 5}}"#).expect("written");
    assert_eq!(settings(&[("PLANS_FILE", path)]).plans.starter.per_day, 5);
    fs::write(path, r#"{"starter": {"per_month": 5}}"#).expect("written");
    let error = refusal(&[("PLANS_FILE", path)]);
    assert!(error.contains("starter: unknown field `per_month`"), "{error}");
    assert!(error.contains("for example PLANS_FILE=./plans.json"), "{error}");
}

#[test]
fn a_certificate_file_has_to_hold_a_certificate() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ca.pem");
    let name = path.to_str().expect("UTF-8");
    fs::write(&path, "-----BEGIN CERTIFICATE-----\n").expect("written");
    assert_eq!(settings(&[("EGRESS_CA_CERT", name)]).egress.ca_cert.as_deref(), Some(path.as_path()));
    fs::write(&path, "nothing").expect("written");
    assert!(refusal(&[("EGRESS_CA_CERT", name)]).contains("holds no PEM certificate"));
}

#[test]
fn the_file_is_looked_for_in_the_working_directory() {
    let folder = tempfile::tempdir().expect("a folder");
    std::env::set_current_dir(folder.path()).expect("entered");
    fs::write(".env", "S3COMPAT_REGION=from-the-file\n").expect("written");
    let source = Source::from_environment().expect("readable");
    assert_eq!(source.get("S3COMPAT_REGION"), Some("from-the-file"));
    assert_eq!(source.get("PATH"), None, "it is not ours");
    fs::remove_file(".env").expect("removed");
    assert!(Source::from_environment().is_ok());
    fs::create_dir(".env").expect("made");
    let error = Source::from_environment().err().expect("a folder").to_string();
    assert!(error.contains(".env: it cannot be read"), "{error}");
}
