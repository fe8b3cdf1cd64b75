//! Places at which a test lets the whole process die: before and after every
//! statement and every end of a transaction. Nothing, outside of tests.

#[cfg(not(any(test, feature = "testing")))]
pub(super) fn reached(_: &str, _: &str) {}

#[cfg(any(test, feature = "testing"))]
pub(super) use armed::reached;
#[cfg(test)]
pub(crate) use armed::{arm, places};

#[cfg(any(test, feature = "testing"))]
mod armed {
    use std::io::Write;
    use std::sync::Mutex;

    static PLAN: Mutex<Option<Plan>> = Mutex::new(None);

    struct Plan {
        die_at: Option<usize>,
        places: Vec<String>,
    }

    /// Begins to count; the process aborts at the place of this number, counted
    /// from 0.
    #[cfg(test)]
    pub(crate) fn arm(die_at: Option<usize>) {
        *PLAN.lock().expect("nobody panics with the plan") = Some(Plan { die_at, places: Vec::new() });
    }

    /// The places reached since [`arm`], in order.
    #[cfg(test)]
    pub(crate) fn places() -> Vec<String> {
        PLAN.lock().expect("nobody panics with the plan").as_ref().map(|plan| plan.places.clone()).unwrap_or_default()
    }

    pub(in crate::database) fn reached(moment: &str, statement: &str) {
        let Ok(mut plan) = PLAN.lock() else { return };
        let Some(plan) = plan.as_mut() else { return };
        if plan.die_at == Some(plan.places.len()) {
            let _ = writeln!(std::io::stderr(), "dies {moment} {statement}");
            std::process::abort();
        }
        plan.places.push(format!("{moment} {statement}"));
    }
}
