use super::error::Problem;
use super::reference;
use super::secret::Secret;
use super::source::Source;
use super::variable::{Unset, Used, Variable};

/// Says that a value was refused; the reason is on the reader's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refused;

/// A value, or the word that the reader has noted why there is none.
pub(super) type Read<T> = Result<T, Refused>;

/// Reads variables from a source and notes every problem on the way, so that
/// one start shows them all.
pub(super) struct Reader<'a> {
    source: &'a Source,
    problems: Vec<Problem>,
    warnings: Vec<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self { source, problems: Vec::new(), warnings: Vec::new() }
    }

    /// Whether the variable has a value of its own.
    pub(super) fn is_set(&self, variable: &Variable) -> bool {
        self.source.get(variable.name).is_some()
    }

    /// Returns the parsed value, or the parsed default; a variable without a
    /// default is required.
    ///
    /// `parse` returns the predicate of a sentence, such as `is not a port`.
    pub(super) fn value<T>(&mut self, variable: &Variable, parse: impl Fn(&str) -> Result<T, String>) -> Read<T> {
        match (self.optional(variable, &parse)?, variable.unset) {
            (Some(value), _) => Ok(value),
            (None, Unset::Value(default)) => self.checked(variable, default, parse(default)),
            (None, Unset::Means(_)) => Err(self.refuse(variable, "it is not set")),
        }
    }

    /// Returns the parsed value, `None` while it is unset.
    pub(super) fn optional<T>(
        &mut self,
        variable: &Variable,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Read<Option<T>> {
        let Some(value) = self.source.get(variable.name) else { return Ok(None) };
        self.checked(variable, value, parse(value)).map(Some)
    }

    /// Returns the parsed value of a variable that `reason` makes necessary.
    pub(super) fn needed<T>(
        &mut self,
        variable: &Variable,
        reason: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Read<T> {
        let value = self.optional(variable, parse)?;
        value.ok_or_else(|| self.refuse(variable, format!("it is not set, and {reason} needs it")))
    }

    /// Returns an opaque value that is never shown.
    pub(super) fn secret(&mut self, variable: &Variable) -> Read<Option<Secret>> {
        self.optional(variable, super::parse::token).map(|value| value.map(Secret::new))
    }

    fn checked<T>(&mut self, variable: &Variable, value: &str, result: Result<T, String>) -> Read<T> {
        result.map_err(|predicate| self.note(Problem::with_value(variable, value, &predicate)))
    }

    /// Notes a problem that only several variables together show.
    pub(super) fn refuse(&mut self, variable: &Variable, problem: impl Into<String>) -> Refused {
        self.note(Problem::stating(variable, problem.into()))
    }

    /// A variable that two roles read is reported once.
    fn note(&mut self, problem: Problem) -> Refused {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
        Refused
    }

    /// Notes what is valid and yet likely not meant.
    pub(super) fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    /// Returns the warnings, those about variables without effect included, and
    /// the problems.
    pub(super) fn finish(mut self) -> (Vec<String>, Vec<Problem>) {
        let idle = reference::variables().filter(|variable| variable.used == Used::Later && self.is_set(variable));
        let idle: Vec<_> =
            idle.map(|variable| format!("{} is set, but this version does not use it yet", variable.name)).collect();
        self.warnings.extend(idle);
        (self.warnings, self.problems)
    }
}
