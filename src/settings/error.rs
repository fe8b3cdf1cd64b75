use std::fmt;

use super::variable::Variable;

/// Longer values are cut in messages.
const SHOWN_CHARS: usize = 80;

/// Everything that is wrong with the configuration, one problem a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError {
    /// In the order in which the variables are read; never empty.
    pub problems: Vec<Problem>,
}

/// What is wrong with one variable. Holds no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The variable's name, or the file it would have come from.
    pub variable: &'static str,
    /// A clause with its subject, such as `"abc" is not a port number`.
    pub problem: String,
    /// A value that would do.
    pub example: &'static str,
}

impl Problem {
    /// Returns the problem that `value` of `variable` has; `predicate`
    /// completes the sentence and must not repeat a secret.
    pub(super) fn with_value(variable: &Variable, value: &str, predicate: &str) -> Self {
        let subject = if may_show(variable, value) { quoted(value) } else { "the value".to_owned() };
        Self::stating(variable, format!("{subject} {predicate}"))
    }

    /// Returns a problem that is not about a value, such as its absence.
    pub(super) fn stating(variable: &Variable, problem: String) -> Self {
        Self { variable: variable.name, problem, example: variable.example }
    }
}

/// An address with a user part is hidden even where the variable is no secret:
/// people put passwords there.
fn may_show(variable: &Variable, value: &str) -> bool {
    !variable.secret && !value.contains('@')
}

fn quoted(value: &str) -> String {
    if value.chars().count() <= SHOWN_CHARS {
        return format!("{value:?}");
    }
    let start: String = value.chars().take(SHOWN_CHARS).collect();
    format!("{:?}", start + "…")
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { variable, problem, example } = self;
        write!(f, "{variable}: {problem}, for example {variable}={example}")
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the configuration is not valid")?;
        self.problems.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

impl std::error::Error for SettingsError {}
