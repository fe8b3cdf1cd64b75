use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::CacheKey;

type Outcome<T, E> = Option<Result<T, E>>;
type UnderWay<T, E> = HashMap<CacheKey, watch::Receiver<Outcome<T, E>>>;

/// The pieces of work under way, by key: the first asker does the work, those
/// who come while it lasts get its outcome, failures included.
pub struct SingleFlight<T, E> {
    flights: Arc<Mutex<UnderWay<T, E>>>,
}

impl<T, E> Clone for SingleFlight<T, E> {
    fn clone(&self) -> Self {
        Self { flights: self.flights.clone() }
    }
}

impl<T, E> Default for SingleFlight<T, E> {
    fn default() -> Self {
        Self { flights: Arc::default() }
    }
}

/// What an asker is told to do.
pub enum Role<T, E> {
    /// Do the work and report with [`Lead::finish`].
    Lead(Lead<T, E>),
    /// Wait for somebody else's outcome.
    Follow(Flight<T, E>),
}

/// The right and duty to do the work. Dropped unfinished, it sends the
/// followers away to try for themselves.
pub struct Lead<T, E> {
    key: CacheKey,
    outcome: watch::Sender<Outcome<T, E>>,
    flights: SingleFlight<T, E>,
}

/// Work that somebody else is doing.
pub struct Flight<T, E> {
    outcome: watch::Receiver<Outcome<T, E>>,
}

impl<T: Clone, E: Clone> SingleFlight<T, E> {
    /// Joins the work under `key`, or starts it.
    pub fn join(&self, key: &CacheKey) -> Role<T, E> {
        // The map is whole even if a holder of the lock panicked.
        let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        match flights.entry(key.clone()) {
            Entry::Occupied(flight) => Role::Follow(Flight { outcome: flight.get().clone() }),
            Entry::Vacant(place) => {
                let (outcome, followers) = watch::channel(None);
                place.insert(followers);
                Role::Lead(Lead { key: key.clone(), outcome, flights: self.clone() })
            }
        }
    }
}

impl<T, E> Lead<T, E> {
    /// Gives the outcome to all followers.
    pub fn finish(self, outcome: Result<T, E>) {
        self.outcome.send_replace(Some(outcome));
    }
}

impl<T, E> Drop for Lead<T, E> {
    fn drop(&mut self) {
        self.flights.flights.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

impl<T: Clone, E: Clone> Flight<T, E> {
    /// Waits for the outcome; `None` when the leader vanished without one.
    pub async fn outcome(mut self) -> Option<Result<T, E>> {
        self.outcome.wait_for(Option::is_some).await.ok().and_then(|outcome| outcome.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> CacheKey {
        CacheKey::new("test", &[])
    }

    #[actix::test]
    async fn followers_get_the_leaders_outcome_and_the_next_asker_leads_again() {
        let flights = SingleFlight::<u8, String>::default();
        let Role::Lead(lead) = flights.join(&key()) else { panic!("the first asker leads") };
        let Role::Follow(flight) = flights.join(&key()) else { panic!("the second follows") };
        lead.finish(Err("the site is down".into()));
        assert_eq!(flight.outcome().await, Some(Err("the site is down".into())));
        assert!(matches!(flights.join(&key()), Role::Lead(_)));
    }

    #[actix::test]
    async fn a_vanished_leader_sends_followers_away() {
        let flights = SingleFlight::<u8, String>::default();
        let Role::Lead(lead) = flights.join(&key()) else { panic!("the first asker leads") };
        let Role::Follow(flight) = flights.join(&key()) else { panic!("the second follows") };
        drop(lead);
        assert_eq!(flight.outcome().await, None);
        assert!(matches!(flights.join(&key()), Role::Lead(_)));
    }

    #[actix::test]
    async fn other_keys_fly_on_their_own() {
        let flights = SingleFlight::<u8, String>::default();
        let _lead = flights.join(&key());
        assert!(matches!(flights.join(&CacheKey::new("other", &[])), Role::Lead(_)));
    }
}
