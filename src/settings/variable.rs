/// One environment variable: what is read, and what the reference says of it.
///
/// A default that is a value is parsed by the parser that reads the variable,
/// so the documented default is the one that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// The name in the environment.
    pub name: &'static str,
    /// What holds while it is unset or empty.
    pub unset: Unset,
    /// A value that is accepted, for error messages and the reference.
    pub example: &'static str,
    /// One or two sentences in Markdown.
    pub meaning: &'static str,
    /// Whether its value may be shown in messages.
    pub secret: bool,
    /// Whether anything acts on it today.
    pub used: Used,
}

/// What holds while a variable is unset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unset {
    /// This value, as if it had been set.
    Value(&'static str),
    /// What these words say.
    Means(&'static str),
}

/// Whether anything acts on a variable in this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Used {
    /// The service acts on it.
    Now,
    /// It is read and checked; a later release acts on it.
    Later,
}

impl Variable {
    /// Returns a variable with a default value, which is its example too.
    pub(super) const fn defaulting(name: &'static str, default: &'static str, meaning: &'static str) -> Self {
        let unset = Unset::Value(default);
        Self { name, unset, example: default, meaning, secret: false, used: Used::Now }
    }

    /// Returns a variable whose absence has a meaning of its own.
    pub(super) const fn optional(
        name: &'static str,
        unset: &'static str,
        example: &'static str,
        meaning: &'static str,
    ) -> Self {
        let unset = Unset::Means(unset);
        Self { name, unset, example, meaning, secret: false, used: Used::Now }
    }

    /// Returns it with an example other than its default.
    pub(super) const fn example(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// Returns it marked as never to be shown.
    pub(super) const fn secret(self) -> Self {
        Self { secret: true, ..self }
    }

    /// Returns it marked as read now and used by a later release.
    pub(super) const fn later(self) -> Self {
        Self { used: Used::Later, ..self }
    }
}
