//! What a batch does to the accounts that it has locked. Pure.

use std::collections::BTreeMap;

use sea_orm::DbErr;
use uuid::Uuid;

use super::postings::Posting;
use super::statements::{AccountRow, Settled};
use crate::credit_ledger::store::transfer::Transfer;
use crate::credit_ledger::{Balance, LedgerError};

/// The accounts as they are after the changes so far, and the changes that are
/// still to be written.
pub(super) struct Page<'a> {
    accounts: BTreeMap<Uuid, Line>,
    pub postings: Vec<Posting<'a>>,
}

struct Line {
    was: Balance,
    is: Balance,
}

impl<'a> Page<'a> {
    pub(super) fn new(accounts: BTreeMap<Uuid, Balance>) -> Self {
        let accounts = accounts.into_iter().map(|(id, was)| (id, Line { was, is: was })).collect();
        Self { accounts, postings: Vec::new() }
    }

    /// Releases a hold and charges `charge` of it, which may be nothing.
    pub(super) fn settle(&mut self, hold: &'a Settled, charge: i64) -> Result<Balance, DbErr> {
        let account = line(&mut self.accounts, hold.account)?;
        account.is.held -= hold.amount;
        account.is.balance -= charge;
        let is = account.is;
        if charge != 0 {
            let transfer = Transfer::charge("capture", hold.account, charge, &hold.purpose, hold.reference);
            self.postings.push(Posting { transfer, balance_after: is.balance });
        }
        Ok(is)
    }

    /// Sets `amount` aside if there is as much.
    pub(super) fn hold(&mut self, account: Uuid, amount: i64) -> Result<Result<Balance, LedgerError>, DbErr> {
        let account = line(&mut self.accounts, account)?;
        Ok(sufficient(account.is, amount).map(|()| {
            account.is.held += amount;
            account.is
        }))
    }

    /// Charges the transfer's amount if there is as much.
    pub(super) fn charge(&mut self, transfer: Transfer<'a>) -> Result<Result<Balance, LedgerError>, DbErr> {
        let account = line(&mut self.accounts, transfer.account)?;
        Ok(sufficient(account.is, -transfer.amount).map(|()| {
            account.is.balance += transfer.amount;
            self.postings.push(Posting { transfer, balance_after: account.is.balance });
            account.is
        }))
    }

    /// The accounts that are not as they were.
    pub(super) fn changes(&self) -> Vec<AccountRow> {
        let changed = self.accounts.iter().filter(|(_, line)| line.was != line.is);
        changed
            .map(|(id, Line { was, is })| AccountRow {
                id: *id,
                more_balance: is.balance - was.balance,
                more_held: is.held - was.held,
            })
            .collect()
    }
}

fn line(accounts: &mut BTreeMap<Uuid, Line>, id: Uuid) -> Result<&mut Line, DbErr> {
    accounts.get_mut(&id).ok_or_else(|| DbErr::RecordNotFound(format!("account {id}")))
}

fn sufficient(account: Balance, needed: i64) -> Result<(), LedgerError> {
    let available = account.available();
    if needed <= available { Ok(()) } else { Err(LedgerError::Insufficient { needed, available }) }
}
