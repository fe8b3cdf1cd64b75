//! Many orders in a few statements, however many they are.
//!
//! The locks are taken in the order of a single request: the holds, then their
//! accounts, which are then read and decided on here, then the charges' keys.
//! What is out of the ordinary (a reference that is taken, a hold that is
//! settled, a grant, a refund) is left to the statements for one.

mod page;
mod postings;
mod statements;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use sea_orm::{DatabaseTransaction, DbErr};
use uuid::Uuid;

use self::page::Page;
use self::statements::{HoldRow, OwnerRow, Settled, SettlementRow};
use super::transfer::Transfer;
use super::{positive, work_key};
use crate::credit_ledger::Hold;
use crate::credit_ledger::hold::HoldState;
use crate::credit_ledger::order::Order;
use crate::database::now;

/// Performs the open orders and leaves its answer in each. The answers are as
/// if the orders had come one after another: those that settle holds first.
///
/// # Errors
/// The database's, after which only a rollback is left.
pub(in crate::credit_ledger) async fn together(txn: &DatabaseTransaction, orders: &mut [Order]) -> Result<(), DbErr> {
    let settled = settle(txn, orders).await?;
    let begun = begin(txn, orders).await?;
    let mut accounts: BTreeSet<_> = settled.values().map(|hold| hold.account).collect();
    accounts.extend(begun.values().map(|work| work.account));
    accounts.extend(of_the_rest(txn, orders).await?);
    if !accounts.is_empty() {
        let mut page = Page::new(statements::lock_accounts(txn, accounts).await?);
        let mut refused = Vec::new();
        answer_settled(&mut page, orders, &settled)?;
        answer_begun(&mut page, orders, &begun, &mut refused)?;
        write(txn, &page, refused).await?;
    }
    for order in orders.iter_mut().filter(|order| order.is_open()) {
        order.perform(txn).await?;
    }
    Ok(())
}

/// Settles the holds that can be, by the position of the order. Of several
/// orders about one hold this is the first.
async fn settle(txn: &DatabaseTransaction, orders: &[Order]) -> Result<HashMap<usize, Settled>, DbErr> {
    let mut wanted = BTreeMap::new();
    for (position, order) in orders.iter().enumerate().filter(|(_, order)| order.is_open()) {
        let (hold, charge, new_state) = match order {
            Order::Capture(ticket) if ticket.asked.amount == 0 || positive(ticket.asked.amount).is_ok() => {
                (ticket.asked.hold, ticket.asked.amount, HoldState::Captured)
            }
            Order::Void(ticket) => (ticket.asked.hold, 0, HoldState::Voided),
            _ => continue,
        };
        let row = SettlementRow { hold, new_state: new_state.as_str(), charge };
        wanted.entry(hold).or_insert((position, row));
    }
    if wanted.is_empty() {
        return Ok(HashMap::new());
    }
    let (positions, rows): (Vec<_>, Vec<_>) =
        wanted.into_iter().map(|(hold, (position, row))| ((hold, position), row)).unzip();
    let mut settled = statements::settle_holds(txn, &rows).await?;
    Ok(positions.into_iter().filter_map(|(hold, position)| Some((position, settled.remove(&hold)?))).collect())
}

/// A hold or a charge whose reference was free.
struct Begun {
    id: Uuid,
    account: Uuid,
}

/// Inserts the holds and the charges whose references are free, by the position
/// of the order.
async fn begin(txn: &DatabaseTransaction, orders: &[Order]) -> Result<HashMap<usize, Begun>, DbErr> {
    let created_at = now();
    let open = |user_id, reference, purpose, amount, state: HoldState, ttl: Duration| HoldRow {
        id: Uuid::now_v7(),
        user_id,
        reference,
        purpose,
        amount,
        captured: if state == HoldState::Captured { amount } else { 0 },
        state: state.as_str(),
        expires_at: created_at.saturating_add(i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX)),
        created_at,
    };
    let (mut positions, mut rows) = (Vec::new(), Vec::new());
    for (position, order) in orders.iter().enumerate().filter(|(_, order)| order.is_open()) {
        let row = match order {
            Order::Hold(ticket) => {
                let it = &ticket.asked;
                open(it.user, it.reference, it.purpose, it.amount, HoldState::Open, it.ttl)
            }
            Order::Charge(ticket) => {
                let it = &ticket.asked;
                open(it.user, it.reference, it.purpose, it.amount, HoldState::Captured, Duration::ZERO)
            }
            _ => continue,
        };
        if positive(row.amount).is_ok() {
            positions.push((row.id, position));
            rows.push(row);
        }
    }
    if rows.is_empty() {
        return Ok(HashMap::new());
    }
    let inserted = statements::insert_holds(txn, &rows).await?;
    let begun = |(id, position): (Uuid, usize)| Some((position, Begun { id, account: *inserted.get(&id)? }));
    Ok(positions.into_iter().filter_map(begun).collect())
}

/// The accounts that grants and refunds will change: locked with the others,
/// because to lock them later would be another order than that of the next
/// process, and each could wait for the other.
async fn of_the_rest(txn: &DatabaseTransaction, orders: &[Order]) -> Result<Vec<Uuid>, DbErr> {
    let owner = |order: &Order| match order {
        Order::Grant(ticket) => Some(OwnerRow::User { user_id: ticket.asked.user }),
        Order::Refund(ticket) => Some(OwnerRow::Charged { charge_key: work_key(ticket.asked.reference) }),
        _ => None,
    };
    let owners: Vec<_> = orders.iter().filter(|order| order.is_open()).filter_map(owner).collect();
    if owners.is_empty() { Ok(Vec::new()) } else { statements::accounts_of(txn, &owners).await }
}

fn answer_settled<'a>(
    page: &mut Page<'a>,
    orders: &mut [Order],
    settled: &'a HashMap<usize, Settled>,
) -> Result<(), DbErr> {
    for (position, order) in orders.iter_mut().enumerate() {
        let Some(hold) = settled.get(&position) else { continue };
        match order {
            Order::Capture(ticket) => {
                let charge = ticket.asked.amount;
                ticket.answer(Ok(page.settle(hold, charge)?));
            }
            Order::Void(ticket) => ticket.answer(Ok(page.settle(hold, 0)?)),
            _ => {}
        }
    }
    Ok(())
}

fn answer_begun(
    page: &mut Page<'_>,
    orders: &mut [Order],
    begun: &HashMap<usize, Begun>,
    refused: &mut Vec<Uuid>,
) -> Result<(), DbErr> {
    for (position, order) in orders.iter_mut().enumerate() {
        let Some(Begun { id, account }) = begun.get(&position) else { continue };
        match order {
            Order::Hold(ticket) => {
                let amount = ticket.asked.amount;
                let answer = page.hold(*account, amount)?;
                refused.extend(answer.is_err().then_some(*id));
                ticket.answer(answer.map(|balance| Hold { id: *id, amount, balance }));
            }
            Order::Charge(ticket) => {
                let it = &ticket.asked;
                let answer = page.charge(Transfer::charge("charge", *account, it.amount, it.purpose, it.reference))?;
                refused.extend(answer.is_err().then_some(*id));
                ticket.answer(answer);
            }
            _ => {}
        }
    }
    Ok(())
}

async fn write(txn: &DatabaseTransaction, page: &Page<'_>, refused: Vec<Uuid>) -> Result<(), DbErr> {
    if !refused.is_empty() {
        statements::delete_holds(txn, refused).await?;
    }
    let changes = page.changes();
    if !changes.is_empty() {
        statements::update_accounts(txn, &changes).await?;
    }
    if !page.postings.is_empty() {
        postings::record(txn, &page.postings).await?;
    }
    Ok(())
}
