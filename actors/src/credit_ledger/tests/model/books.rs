//! The model.

use std::collections::HashMap;

use super::super::{Balance, Hold, LedgerError, credits};
use super::Step;

pub(super) const USERS: usize = 3;
pub(super) const REFERENCES: usize = 14;
pub(super) const OPENING: i64 = 60;

/// What an asker hears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    Held(Hold),
    Moved(Balance),
    Insufficient { needed: i64, available: i64 },
    Conflict,
    Unknown(&'static str),
}

impl Heard {
    pub(super) fn refused(error: LedgerError) -> Self {
        match error {
            LedgerError::Insufficient { needed, available } => Self::Insufficient { needed, available },
            LedgerError::Conflict(_) => Self::Conflict,
            LedgerError::Unknown(what) => Self::Unknown(what),
            other => panic!("{other:?}"),
        }
    }

    /// The same but for a hold's id, which the model does not give.
    fn agrees(self, other: Self) -> bool {
        match (self, other) {
            (Self::Held(one), Self::Held(other)) => (one.amount, one.balance) == (other.amount, other.balance),
            _ => self == other,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open { expired: bool },
    Captured(i64),
    Voided,
    Expired,
}

#[derive(Debug, Clone, Copy)]
struct Work {
    user: usize,
    amount: i64,
    /// Paid at once, by a charge.
    at_once: bool,
    state: State,
    refunded: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Books {
    accounts: [Balance; USERS],
    works: HashMap<usize, Work>,
    grants: HashMap<usize, (usize, i64)>,
}

impl Default for Books {
    fn default() -> Self {
        Self { accounts: [credits(OPENING, 0); USERS], works: HashMap::new(), grants: HashMap::new() }
    }
}

impl Books {
    pub(super) fn balances(&self) -> Vec<Balance> {
        self.accounts.to_vec()
    }

    /// The books after the steps in an order in which each hears what was
    /// heard, and which leaves these balances.
    pub(super) fn explain(&self, steps: &[Step], heard: &[Heard], balances: &[Balance]) -> Option<Self> {
        if steps.is_empty() {
            return (self.accounts == balances).then(|| self.clone());
        }
        (0..steps.len()).find_map(|first| {
            let mut next = self.clone();
            // Ids are known before the requests are sent, so a request cannot name what another makes.
            if !next.perform(steps[first]).agrees(heard[first]) {
                return None;
            }
            let (mut steps, mut heard) = (steps.to_vec(), heard.to_vec());
            steps.remove(first);
            heard.remove(first);
            next.explain(&steps, &heard, balances)
        })
    }

    pub(super) fn expire(&mut self) {
        for work in self.works.values_mut().filter(|work| work.state == State::Open { expired: true }) {
            work.state = State::Expired;
            self.accounts[work.user].held -= work.amount;
        }
    }

    fn perform(&mut self, step: Step) -> Heard {
        match step {
            Step::Hold { user, amount, work, expires } => self.hold(user, amount, work, expires),
            Step::Capture { work, amount } => self.settle(work, Some(amount)),
            Step::Void { work } => self.settle(work, None),
            Step::Charge { user, amount, work } => self.charge(user, amount, work),
            Step::Grant { user, amount, work } => self.grant(user, amount, work),
            Step::Refund { work } => self.refund(work),
            Step::Expire => panic!("expiry is not asked for"),
        }
    }

    fn begin(&mut self, work: usize, begun: Work) -> Result<(), Heard> {
        let (needed, available) = (begun.amount, self.accounts[begun.user].available());
        if needed > available {
            return Err(Heard::Insufficient { needed, available });
        }
        self.works.insert(work, begun);
        Ok(())
    }

    fn hold(&mut self, user: usize, amount: i64, work: usize, expired: bool) -> Heard {
        let held = |books: &Self| Heard::Held(Hold { id: uuid::Uuid::nil(), amount, balance: books.accounts[user] });
        if let Some(known) = self.works.get(&work) {
            let same = (known.user, known.amount, known.state) == (user, amount, State::Open { expired: false });
            return if same { held(self) } else { Heard::Conflict };
        }
        let state = State::Open { expired };
        if let Err(refused) = self.begin(work, Work { user, amount, at_once: false, state, refunded: false }) {
            return refused;
        }
        self.accounts[user].held += amount;
        held(self)
    }

    /// A capture with an amount, a void without.
    fn settle(&mut self, work: usize, charge: Option<i64>) -> Heard {
        let Some(known) = self.works.get_mut(&work).filter(|work| !work.at_once) else { return Heard::Unknown("hold") };
        let account = &mut self.accounts[known.user];
        match (known.state, charge) {
            (State::Open { .. }, Some(charge)) if charge > known.amount => return Heard::Conflict,
            (State::Open { .. }, _) => {
                known.state = charge.map_or(State::Voided, State::Captured);
                account.held -= known.amount;
                account.balance -= charge.unwrap_or(0);
            }
            (State::Captured(was), Some(charge)) if was == charge => {}
            (State::Voided | State::Expired, None) => {}
            _ => return Heard::Conflict,
        }
        Heard::Moved(*account)
    }

    fn charge(&mut self, user: usize, amount: i64, work: usize) -> Heard {
        if let Some(known) = self.works.get(&work) {
            let same = known.at_once && (known.user, known.amount) == (user, amount);
            return if same { Heard::Moved(self.accounts[user]) } else { Heard::Conflict };
        }
        let state = State::Captured(amount);
        if let Err(refused) = self.begin(work, Work { user, amount, at_once: true, state, refunded: false }) {
            return refused;
        }
        self.accounts[user].balance -= amount;
        Heard::Moved(self.accounts[user])
    }

    fn grant(&mut self, user: usize, amount: i64, key: usize) -> Heard {
        match self.grants.get(&key) {
            Some(known) if *known != (user, amount) => return Heard::Conflict,
            Some(_) => {}
            None => {
                self.grants.insert(key, (user, amount));
                self.accounts[user].balance += amount;
            }
        }
        Heard::Moved(self.accounts[user])
    }

    fn refund(&mut self, work: usize) -> Heard {
        let Some(known) = self.works.get_mut(&work) else { return Heard::Unknown("charge") };
        let State::Captured(charged @ 1..) = known.state else { return Heard::Unknown("charge") };
        let account = &mut self.accounts[known.user];
        if !std::mem::replace(&mut known.refunded, true) {
            account.balance += charged;
        }
        Heard::Moved(*account)
    }
}
