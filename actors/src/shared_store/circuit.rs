use tokio::sync::watch;

use super::StoreError;

/// Whether the store is asked at all. Every change is logged once.
pub(super) struct Circuit {
    state: watch::Sender<State>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// Nothing is known yet.
    New,
    Closed,
    Open {
        reason: String,
    },
}

impl Circuit {
    pub(super) fn new() -> Self {
        Self { state: watch::Sender::new(State::New) }
    }

    /// Waits until something is known; then the problem, if there is one.
    pub(super) async fn settled(&self) -> Option<String> {
        let mut state = self.state.subscribe();
        match state.wait_for(|state| *state != State::New).await.as_deref() {
            Ok(State::Open { reason }) => Some(reason.clone()),
            // The sender is ours, so it is there.
            _ => None,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(*self.state.borrow(), State::Open { .. })
    }

    /// Notes a failure.
    pub(super) fn open(&self, error: &StoreError) {
        let opened = self.state.send_if_modified(|state| {
            let changed = !matches!(state, State::Open { .. });
            if changed {
                *state = State::Open { reason: error.to_string() };
            }
            changed
        });
        if opened {
            metrics::gauge!("blazon_shared_store_up").set(0.0);
            tracing::warn!(%error, "the shared store is down: nothing is cached, and each replica limits its own part");
        }
    }

    /// Notes that the store answers.
    pub(super) fn close(&self) {
        let before = self.state.send_replace(State::Closed);
        if before != State::Closed {
            metrics::gauge!("blazon_shared_store_up").set(1.0);
            tracing::info!(first_contact = before == State::New, "the shared store answers");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix::test]
    async fn the_first_failure_opens_and_the_first_reason_stays() {
        let circuit = Circuit::new();
        assert!(!circuit.is_open());
        circuit.close();
        assert_eq!(circuit.settled().await, None);
        circuit.open(&StoreError::Refused("LOADING".into()));
        circuit.open(&StoreError::Down);
        assert_eq!(circuit.settled().await.as_deref(), Some("refused: LOADING"));
        circuit.close();
        assert!(!circuit.is_open());
    }
}
