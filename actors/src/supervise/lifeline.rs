use actix::{Message, Recipient};

/// Notice to a keeper: its child's value was dropped.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub(super) struct ChildDown {
    pub generation: u64,
    pub panicked: bool,
}

/// Held as a field by every kept actor; its drop is how the keeper learns of
/// the actor's end, whether by panic or by `stop`.
#[derive(Debug)]
pub struct Lifeline {
    keeper: Recipient<ChildDown>,
    generation: u64,
}

impl Lifeline {
    pub(super) fn new(keeper: Recipient<ChildDown>, generation: u64) -> Self {
        Self { keeper, generation }
    }
}

impl Drop for Lifeline {
    fn drop(&mut self) {
        self.keeper.do_send(ChildDown { generation: self.generation, panicked: std::thread::panicking() });
    }
}
