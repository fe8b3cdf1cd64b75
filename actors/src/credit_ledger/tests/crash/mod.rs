//! The process dies at every kind of place, is started again, and nothing is
//! lost: what was answered is there, nothing is half there, and asking for
//! everything again ends where a life without a crash ends.

mod script;

use serde::{Deserialize, Serialize};

use self::script::{ROUNDS, Script};
use super::*;
use crate::child::{orders, start, tell, told};
use crate::database::testing::{TestDatabase, open_migrated};
use crate::database::{Database, fail_point};

#[derive(Serialize, Deserialize)]
struct Life {
    url: String,
    script: Script,
    /// The number of the place to die at; without one the life is whole.
    die_at: Option<usize>,
}

#[test]
#[ignore = "a child of the crash tests"]
fn life() {
    let Some(life) = orders::<Life>() else { return };
    actix::System::new().block_on(async {
        let db = Database::open(&life.url).await.expect("opens");
        fail_point::arm(life.die_at);
        for round in ROUNDS {
            for (action, answer) in life.script.perform(&db, round).await {
                answer.unwrap_or_else(|error| panic!("{action:?}: {error:?}"));
                tell(&action.name());
            }
        }
    });
    fail_point::places().iter().for_each(|place| tell(&format!("place {}", place.replace('\n', " "))));
}

async fn live(url: &str, script: &Script, die_at: Option<usize>) -> (Vec<String>, bool) {
    told(start("credit_ledger::tests::crash::life", &Life { url: url.to_owned(), script: script.clone(), die_at }))
}

async fn script(db: &DatabaseConnection) -> Script {
    Script::new([user(db, 100).await, user(db, 100).await])
}

/// The number of the first place of each kind, of every `step`-th kind.
async fn places(url: &str, db: &DatabaseConnection, step: usize) -> Vec<usize> {
    let script = script(db).await;
    let (told, lived) = live(url, &script, None).await;
    assert!(lived, "a life without a crash ends well: {told:?}");
    script.assert_finished(db).await;
    let mut seen = std::collections::HashSet::new();
    let places = told.iter().filter_map(|line| line.strip_prefix("place "));
    let first: Vec<_> = places.enumerate().filter(|(_, place)| seen.insert(*place)).map(|(number, _)| number).collect();
    assert!(first.len() >= 40, "only {} kinds of places", first.len());
    first.into_iter().step_by(step).collect()
}

async fn die_at_every_place(url: String, step: usize) {
    let db = open_migrated(&url).await;
    for place in places(&url, &db, step).await {
        let script = script(&db).await;
        let (told, lived) = live(&url, &script, Some(place)).await;
        assert!(!lived, "it was to die at {place}: {told:?}");
        assert_sound(&db).await;
        script.assert_done(&db, &told).await;
        script.assert_rounds_are_whole(&db, &told).await;
        // The next life: everybody asks for everything again.
        for round in ROUNDS {
            for (action, answer) in script.perform(&db, round).await {
                let again = answer.as_ref().err().is_some_and(|error| matches!(error, LedgerError::Conflict(_)));
                assert!(answer.is_ok() || (again && action.is_hold()), "{place}: {action:?}: {answer:?}");
            }
        }
        script.assert_finished(&db).await;
        assert_sound(&db).await;
    }
}

#[actix::test]
async fn no_credit_is_lost_wherever_the_process_dies_on_sqlite() {
    TestDatabase::sqlite().run(|url| die_at_every_place(url, 1)).await;
}

#[actix::test]
async fn no_credit_is_lost_wherever_the_process_dies_on_postgres() {
    TestDatabase::postgres().await.run(|url| die_at_every_place(url, 3)).await;
}
