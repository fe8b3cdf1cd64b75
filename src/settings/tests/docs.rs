use super::*;

/// Compares a file of the repository with what it is made from; with `BLESS=1`
/// it is written instead.
#[expect(clippy::disallowed_methods, reason = "asks whether to bless, which is no setting of the service")]
fn assert_in_step(file: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, expected).expect("written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{file} is out of step: run `BLESS=1 cargo nextest run -p blazon settings`");
}

#[test]
fn the_reference_page_is_in_step_with_the_variables() {
    assert_in_step("docs/configuration.md", &reference_markdown());
}

#[test]
fn the_example_file_is_in_step_with_the_variables() {
    assert_in_step(".env.example", &env_example());
}

#[test]
fn every_variable_is_documented_once_and_nothing_else_is() {
    let page = reference_markdown();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let documented: Vec<_> =
        rows.filter(|name| name.chars().all(|c| c.is_ascii_uppercase() || "_0123456789".contains(c))).collect();
    let mut names: Vec<_> = variables().map(|variable| variable.name).collect();
    assert_eq!(documented, names);
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), documented.len(), "a name is there twice");
}

#[test]
fn every_example_is_accepted() {
    for variable in variables() {
        let Err(error) = load(&[(variable.name, variable.example)]) else { continue };
        let refused = error.problems.iter().any(|problem| problem.variable == variable.name);
        let names_a_file = ["BROWSER_EXECUTABLE", "EGRESS_CA_CERT", "PLANS_FILE"].contains(&variable.name);
        assert!(!refused || names_a_file && error.to_string().contains("cannot be read"), "{error}");
    }
}

#[test]
fn the_example_file_can_be_used_as_it_is_and_with_every_line_uncommented() {
    let example = env_example();
    assert_eq!(merged(&[], &example), load(&[]));
    let uncommented: String = example
        .lines()
        .filter(|line| !line.starts_with("# "))
        .map(|line| format!("{}\n", line.trim_start_matches('#')))
        .collect();
    let files = [("BROWSER_EXECUTABLE", ""), ("EGRESS_CA_CERT", ""), ("PLANS_FILE", "")];
    let settings = merged(&files, &uncommented).expect("every example is valid");
    assert_eq!(settings.email.expect("mail is on").from, "Blazon <no-reply@example.com>");
}

#[test]
fn a_default_value_is_what_holds_while_the_variable_is_unset() {
    for variable in variables() {
        let Unset::Value(default) = variable.unset else { continue };
        let expected = match variable.name {
            // The worker has another default under the same name.
            "PORT" => continue,
            _ => Settings { warnings: Vec::new(), ..settings(&[(variable.name, default)]) },
        };
        assert_eq!(expected, settings(&[]), "{}", variable.name);
    }
}
