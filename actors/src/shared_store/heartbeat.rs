//! The sign of life that each process gives to the store, which is how the
//! processes are counted, how a store that is back is noticed, and how one that
//! has forgotten everything is known.

use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock, Weak};
use std::time::Duration;

use rand::Rng;
use tokio::time::{sleep, timeout};

use super::{Script, Shared, StoreError};

/// How long a sign of life may take. Longer than a question: the connection may
/// have to be made first, and nobody waits.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

const INTERVAL: Duration = Duration::from_secs(1);
const INTERVAL_WHILE_DOWN: Duration = Duration::from_millis(250);

/// A process silent for longer is not counted.
const SILENT_S: u64 = 5;

/// One hash tag, so that a cluster keeps both on one node.
const MEMBERS: &str = "{svc:replicas}:alive";
const GENERATION: &str = "{svc:replicas}:generation";

static HEARTBEAT: LazyLock<Script> = LazyLock::new(|| Script::new(&[include_str!("heartbeat.lua")]));
static LEAVE: LazyLock<Script> = LazyLock::new(|| Script::new(&[include_str!("leave.lua")]));

/// Gives signs of life until nobody holds the store any more.
pub(super) async fn beat(store: Weak<Shared>) {
    let mut generation = None;
    while let Some(store) = store.upgrade() {
        let outcome = match pulse(&store).await {
            // A store that is back must also be quick before it is asked again.
            Ok(_) if store.circuit.is_open() => timed(store.patience, pulse(&store)).await,
            outcome => outcome,
        };
        match outcome {
            Ok(pulse) => {
                store.replicas.store(pulse.replicas, Ordering::Relaxed);
                if generation.replace(pulse.generation).is_some_and(|before| before != pulse.generation) {
                    store.losses.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!("the shared store has lost what was kept in it");
                }
                store.circuit.close();
            }
            Err(error) => store.circuit.open(&error),
        }
        let pause = if store.circuit.is_open() { INTERVAL_WHILE_DOWN } else { INTERVAL };
        drop(store);
        sleep(pause).await;
    }
}

struct Pulse {
    replicas: u32,
    generation: i64,
}

async fn pulse(store: &Arc<Shared>) -> Result<Pulse, StoreError> {
    let beating = async {
        store.backend.connect().await?;
        // Taken over by a store that has none. Below 2⁵³, which Lua reads exactly.
        let proposed = rand::rng().random_range(1..1_i64 << 52);
        let args = vec![store.member.to_string(), SILENT_S.to_string(), proposed.to_string()];
        let answer = store.backend.run(&HEARTBEAT, &[MEMBERS, GENERATION], args).await?;
        match answer.as_slice() {
            [alive, generation] => {
                Ok(Pulse { replicas: u32::try_from(*alive).unwrap_or(u32::MAX), generation: *generation })
            }
            _ => Err(StoreError::Nonsense(format!("{answer:?}"))),
        }
    };
    timed(PATIENCE, beating).await
}

/// Takes the process off the count.
pub(super) async fn leave(store: &Arc<Shared>) -> Result<(), StoreError> {
    if store.circuit.is_open() {
        return Err(StoreError::Down);
    }
    let leaving = store.backend.run(&LEAVE, &[MEMBERS], vec![store.member.to_string()]);
    timed(store.patience, leaving).await.map(drop)
}

async fn timed<T>(patience: Duration, question: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    timeout(patience, question).await.unwrap_or(Err(StoreError::Timeout(patience)))
}
