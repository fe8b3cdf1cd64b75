//! What a hold that exists says to a request about it. Pure.

use uuid::Uuid;

use super::LedgerError;

/// Where a hold is in its life. All but `Open` are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HoldState {
    Open,
    Captured,
    Voided,
    Expired,
}

impl HoldState {
    const ALL: [Self; 4] = [Self::Open, Self::Captured, Self::Voided, Self::Expired];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Captured => "captured",
            Self::Voided => "voided",
            Self::Expired => "expired",
        }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// A hold as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredHold {
    pub id: Uuid,
    pub user: Uuid,
    pub purpose: String,
    pub amount: i64,
    pub captured: i64,
    pub state: HoldState,
    /// Unix milliseconds.
    pub expires_at: i64,
}

impl StoredHold {
    /// Decides a request to hold with a reference that is taken. Only an open
    /// hold is handed out again: work on a settled one would never be paid.
    pub(super) fn hold_again(&self, user: Uuid, amount: i64, purpose: &str, now: i64) -> Result<(), LedgerError> {
        if (self.user, self.amount, self.purpose.as_str()) != (user, amount, purpose) {
            return Err(LedgerError::Conflict("the reference belongs to another hold"));
        }
        match self.state {
            HoldState::Open if now < self.expires_at => Ok(()),
            HoldState::Open | HoldState::Expired => Err(LedgerError::Conflict("the hold has expired")),
            HoldState::Captured | HoldState::Voided => Err(LedgerError::Conflict("the hold is settled already")),
        }
    }

    /// Decides a capture that found nothing open of `amount` or more.
    pub(super) fn capture_again(&self, amount: i64) -> Result<(), LedgerError> {
        match self.state {
            HoldState::Captured if self.captured == amount => Ok(()),
            HoldState::Captured => Err(LedgerError::Conflict("the hold was captured with another amount")),
            HoldState::Voided => Err(LedgerError::Conflict("the hold was voided")),
            HoldState::Expired => Err(LedgerError::Conflict("the hold has expired")),
            HoldState::Open => Err(LedgerError::Conflict("a capture is at most its hold's amount")),
        }
    }

    /// Decides a void that found nothing open. What has expired is released
    /// already, which is all that was asked.
    pub(super) fn void_again(&self) -> Result<(), LedgerError> {
        match self.state {
            HoldState::Voided | HoldState::Expired => Ok(()),
            HoldState::Captured | HoldState::Open => Err(LedgerError::Conflict("the hold was captured")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(state: HoldState) -> StoredHold {
        let captured = if state == HoldState::Captured { 7 } else { 0 };
        let (id, user) = (Uuid::from_u128(1), Uuid::from_u128(3));
        StoredHold { id, user, purpose: "web.scrape.html".into(), amount: 10, captured, state, expires_at: 1000 }
    }

    #[test]
    fn only_an_open_hold_in_its_time_is_handed_out_again() {
        let again = |state, now| stored(state).hold_again(Uuid::from_u128(3), 10, "web.scrape.html", now).is_ok();
        assert!(again(HoldState::Open, 999));
        assert!(!again(HoldState::Open, 1000));
        for state in [HoldState::Captured, HoldState::Voided, HoldState::Expired] {
            assert!(!again(state, 0), "{state:?}");
        }
    }

    #[test]
    fn a_reference_is_not_lent_to_another_request() {
        let hold = stored(HoldState::Open);
        for (user, amount, purpose) in [(4, 10, "web.scrape.html"), (3, 11, "web.scrape.html"), (3, 10, "brand")] {
            assert!(hold.hold_again(Uuid::from_u128(user), amount, purpose, 0).is_err());
        }
    }

    #[test]
    fn the_same_capture_is_confirmed_and_another_refused() {
        assert!(stored(HoldState::Captured).capture_again(7).is_ok());
        assert!(stored(HoldState::Captured).capture_again(8).is_err());
        for state in [HoldState::Open, HoldState::Voided, HoldState::Expired] {
            assert!(stored(state).capture_again(7).is_err(), "{state:?}");
        }
    }

    #[test]
    fn a_released_hold_is_void_and_a_captured_one_is_not() {
        assert!(stored(HoldState::Voided).void_again().is_ok());
        assert!(stored(HoldState::Expired).void_again().is_ok());
        assert!(stored(HoldState::Captured).void_again().is_err());
    }
}
