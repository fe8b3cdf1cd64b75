use std::fmt;
use std::sync::Arc;

/// Where the outbox has the time from: tests let hours pass.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> i64 + Send + Sync>);

impl Clock {
    /// A clock that shows what `now` returns, in Unix milliseconds.
    pub fn new(now: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Unix milliseconds.
    pub(super) fn now(&self) -> i64 {
        (self.0)()
    }
}

impl Default for Clock {
    /// The system's clock.
    fn default() -> Self {
        Self::new(crate::database::now)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}
