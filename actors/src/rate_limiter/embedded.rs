use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix::Response;
use futures::future::join_all;
use sea_orm::DatabaseConnection;
use tokio::sync::{OnceCell, oneshot};
use uuid::Uuid;

use super::account::{Account, Accounts};
use super::day_book::{Counted, DayBook};
use super::reserve::Reserve;
use super::window::BUCKET_MS;
use super::{CheckRate, RateDecision, RateLimits};

/// Limits by what this process counts; the database remembers the day.
#[derive(Clone)]
pub(super) struct EmbeddedLimits {
    accounts: Arc<Accounts>,
    book: DayBook,
    loading: Loading,
}

/// The keys that are being read from the database; who asks for one meanwhile
/// waits for the same reading.
type Loading = Arc<Mutex<HashMap<Uuid, Arc<OnceCell<Vec<Counted>>>>>>;

/// Ends when the database knows of a request.
type Settled = oneshot::Receiver<()>;

impl EmbeddedLimits {
    /// Returns limits on a migrated database; the writer runs in the current
    /// arbiter.
    pub(super) fn new(db: DatabaseConnection) -> Self {
        Self { accounts: Arc::new(Accounts::new()), book: DayBook::open(db), loading: Loading::default() }
    }

    pub(super) fn check(&self, request: CheckRate) -> Response<RateDecision> {
        let known = self.accounts.with_all(|accounts, now| {
            let account = accounts.get_mut(&request.key_id)?;
            Some(self.decide(account, now, request))
        });
        match known {
            Some((decision, None)) => Response::reply(decision),
            Some((decision, Some(settled))) => Response::fut(async move {
                DayBook::wait(settled).await;
                decision
            }),
            None => Response::fut(self.clone().check_new(request)),
        }
    }

    /// Checks a key that this process has not seen for a day.
    async fn check_new(self, request: CheckRate) -> RateDecision {
        let key = request.key_id;
        let reading = self.loading().entry(key).or_default().clone();
        let counted = reading.get_or_init(|| self.book.load(key, self.accounts.now_ms() / BUCKET_MS)).await;
        self.loading().remove(&key);
        let (decision, unconfirmed) = self.accounts.with_all(|accounts, now| {
            // Another request may have been quicker.
            let account = accounts.entry(key).or_insert_with(|| recall(now, counted));
            self.decide(account, now, request)
        });
        if let Some(settled) = unconfirmed {
            DayBook::wait(settled).await;
        }
        decision
    }

    fn loading(&self) -> MutexGuard<'_, HashMap<Uuid, Arc<OnceCell<Vec<Counted>>>>> {
        self.loading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides, and says what to wait for when the database does not know of
    /// the request yet.
    fn decide(&self, account: &mut Account, now: u64, request: CheckRate) -> (RateDecision, Option<Settled>) {
        let CheckRate { key_id, limits } = request;
        let tally = account.windows.check(now, limits);
        let settled = if tally.allowed { self.reserve(account, now, key_id, limits) } else { None };
        (tally.decision(limits), settled)
    }

    fn reserve(&self, account: &mut Account, now: u64, key: Uuid, limits: RateLimits) -> Option<Settled> {
        if let Some(left) = account.reserve.turn(now / BUCKET_MS) {
            drop(self.book.send(key, left));
        }
        let growing = account.reserve.take(limits).map(|change| self.book.send(key, change));
        if account.reserve.is_confirmed() {
            return None;
        }
        // Changes are written in order: who waits for nothing waits for those before it.
        Some(growing.unwrap_or_else(|| self.book.send(key, account.reserve.nothing())))
    }

    /// Brings the database down to what was used.
    pub(super) fn settle(&self) -> impl Future<Output = ()> + use<> {
        let given_back: Vec<_> = self.accounts.with_all(|accounts, _| {
            let changes = accounts.iter_mut().filter_map(|(key, account)| Some((*key, account.reserve.release()?)));
            changes.map(|(key, change)| self.book.send(key, change)).collect()
        });
        async move {
            join_all(given_back).await;
        }
    }

    /// Forgets what no longer counts, here and in the database.
    pub(super) fn sweep(&self) -> impl Future<Output = ()> + use<> {
        let present = self.accounts.with_all(|accounts, now| {
            for (key, account) in accounts.iter_mut() {
                if let Some(left) = account.reserve.turn(now / BUCKET_MS) {
                    drop(self.book.send(*key, left));
                }
            }
            accounts.retain(|_, account| !account.windows.is_idle(now));
            now / BUCKET_MS
        });
        let book = self.book.clone();
        async move { book.sweep(present).await }
    }
}

fn recall(now: u64, counted: &[Counted]) -> Account {
    let mut account = Account::default();
    for Counted { bucket, count } in counted {
        account.windows.recall(now, *bucket, *count);
    }
    let present = counted.iter().filter(|counted| counted.bucket == now / BUCKET_MS);
    account.reserve = Reserve::recalled(now / BUCKET_MS, present.map(|counted| counted.count).sum());
    account
}
