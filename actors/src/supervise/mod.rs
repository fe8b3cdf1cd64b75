//! What this project means by a *supervised actor*: a bounded door, a keeper
//! that starts it again, and a death that is a message.
//!
//! actix's own `Supervisor` is not used, for three measured reasons: an actor
//! that panics is gone for good under it, a restart has no delay and no limit,
//! and it keeps the (perhaps broken) struct value. `Addr::send` also ignores
//! the mailbox capacity, so back-pressure needs permits in front of it.
//!
//! ```text
//! caller ─ask→ Gate ─(permit, deadline)→ Addr<A> ─→ A { _lifeline }
//!                ▲ publishes                          │ drop = ChildDown
//!                └────────────── Keeper<A> ◀──────────┘
//!                                  │ too many deaths
//!                                  └→ Escalation → orderly exit
//! ```

mod gate;
mod keeper;
mod lifeline;
mod policy;

pub use gate::{AskError, Gate};
pub use keeper::{Escalation, Escalations, Keeper, KeeperHandle, Room};
pub use lifeline::Lifeline;
pub use policy::RestartPolicy;

#[cfg(test)]
mod tests;
