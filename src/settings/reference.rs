//! The reference of all variables, as data and as the two files made from it.

use std::fmt::Write;

use super::variable::{Unset, Used, Variable};
use super::{
    PlanLimits, PlansSettings, browser, cache, database, egress, email, http, jobs, llm, payment, plans, proxy, storage,
};

/// Variables of one concern.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    pub title: &'static str,
    pub variables: &'static [Variable],
}

/// Every variable that the service reads, by concern.
pub const GROUPS: &[Group] = &[
    Group { title: "Server", variables: http::VARIABLES },
    Group { title: "Database", variables: database::VARIABLES },
    Group { title: "Egress", variables: egress::VARIABLES },
    Group { title: "Proxies", variables: proxy::VARIABLES },
    Group { title: "Browser", variables: browser::VARIABLES },
    Group { title: "Cache", variables: cache::VARIABLES },
    Group { title: "Plans", variables: plans::VARIABLES },
    Group { title: "Language models", variables: llm::VARIABLES },
    Group { title: "Stored assets", variables: storage::VARIABLES },
    Group { title: "Mail", variables: email::VARIABLES },
    Group { title: "Payment", variables: payment::VARIABLES },
    Group { title: "Jobs", variables: jobs::VARIABLES },
];

const INTRODUCTION: &str = "# Configuration

Everything is configured by environment variables. They are also read from a file `.env` in the working directory; the
environment wins. An empty value counts as unset, so an empty variable in the environment switches off what the file
sets. In the file, put a value that holds blanks, `#` or `$` in single quotes.

A value that is not valid stops the start, with a message that names every variable that is wrong, what is wrong with
it and an example. What is valid but likely not meant is logged as a warning.

Nothing has to be set: without any variable the service runs on an SQLite file, a cache inside the process and a
browser beside the API server. Variables marked *later* are read and checked, and used by a later release.

Yes or no is `true`, `1`, `false` or `0`. A time to live of 0 switches that cache off.
";

/// Returns every variable, in the order of the reference.
pub fn variables() -> impl Iterator<Item = &'static Variable> {
    GROUPS.iter().flat_map(|group| group.variables)
}

/// Returns the variable of that name.
pub(super) fn find(name: &str) -> Option<&'static Variable> {
    variables().find(|variable| variable.name == name)
}

/// Returns `docs/configuration.md`.
pub fn reference_markdown() -> String {
    let mut page = INTRODUCTION.to_owned();
    for group in GROUPS {
        let title = group.title;
        page +=
            &format!("\n## {title}\n\n| Variable | When unset | Example | Meaning | Used |\n|---|---|---|---|---|\n");
        for variable in group.variables {
            page += &table_row(variable);
        }
        if group.variables == plans::VARIABLES {
            page += &plans_section();
        }
    }
    page
}

fn table_row(variable: &Variable) -> String {
    let Variable { name, unset, example, meaning, used, .. } = variable;
    let unset = match unset {
        Unset::Value(value) => format!("`{value}`"),
        Unset::Means(words) => (*words).to_owned(),
    };
    let used = match used {
        Used::Now => "now",
        Used::Later => "*later*",
    };
    format!("| `{name}` | {unset} | `{example}` | {meaning} | {used} |\n")
}

fn plans_section() -> String {
    let head = "| Plan | `per_minute` | `per_day` | `concurrent_crawls` | `monthly_credits` | `rollover` |";
    let mut section = format!("\n{head}\n|---|---|---|---|---|---|\n");
    for (name, limits) in PlansSettings::default().by_name() {
        let PlanLimits { per_minute, per_day, concurrent_crawls, monthly_credits, rollover } = limits;
        section += &format!(
            "| `{name}` | {per_minute} | {per_day} | {concurrent_crawls} | {monthly_credits} | {rollover} |\n"
        );
    }
    section
        + "\nThe file names what it changes and nothing else; a field that it does not know is refused:\n\n```json\n\
           { \"pro\": { \"per_minute\": 300, \"rollover\": true }, \"enterprise\": { \"monthly_credits\": 1000000 } }\n```\n"
}

/// Returns `.env.example`: every variable, commented out, with its example.
pub fn env_example() -> String {
    let mut file =
        "# Copy to .env and uncomment what you need; docs/configuration.md explains each variable.\n".to_owned();
    for group in GROUPS {
        file += &format!("\n# --- {} ---\n", group.title);
        for Variable { name, example, .. } in group.variables {
            let quote = if example.contains(' ') { "'" } else { "" };
            // Writing to a String cannot fail.
            let _ = writeln!(file, "#{name}={quote}{example}{quote}");
        }
    }
    file
}
