//! Users and keys come and are listed.

use futures::future::join_all;

use super::*;
use crate::credit_ledger::LedgerError;
use crate::on_both_databases;

on_both_databases!(crate::database::testing::open_migrated:
    a_new_user_begins_with_100_credits_and_the_free_plan,
    credits_open_a_new_account_and_are_added_to_a_known_one,
    a_plan_that_is_given_changes_a_known_user,
    many_first_keys_of_one_user_make_one_user,
    what_cannot_be_made_leaves_nothing_behind,
    keys_are_listed_newest_first,
    the_first_admin_is_made_once,
    there_is_no_first_admin_where_there_are_users,
    no_key_in_clear_is_stored_or_shown,
);

async fn a_new_user_begins_with_100_credits_and_the_free_plan(db: DatabaseConnection) {
    let ring = ring(&db);
    let created = create(&ring, key_for("Ada@Example.com")).await;
    assert_eq!(balance(&db, &created).await, 100);
    let principal = resolve(&ring, &created.key).await.expect("a principal");
    assert_eq!((principal.user_id, principal.key_id), (created.user_id, created.key_id));
    assert_eq!((principal.email.as_str(), principal.plan), ("ada@example.com", Plan::Free));
    assert_eq!(principal.scopes, Scope::ALL);
}

async fn credits_open_a_new_account_and_are_added_to_a_known_one(db: DatabaseConnection) {
    let ring = ring(&db);
    let with = |credits| CreateKey { credits, ..key_for("ada@example.com") };
    let first = create(&ring, with(Some(7))).await;
    assert_eq!(balance(&db, &first).await, 7);
    let second = create(&ring, with(Some(5))).await;
    assert_eq!((second.user_id, balance(&db, &second).await), (first.user_id, 12));
    assert_ne!(second.key, first.key);
    create(&ring, with(None)).await;
    assert_eq!(balance(&db, &first).await, 12);
    let penniless = create(&ring, CreateKey { credits: Some(0), ..key_for("bob@example.com") }).await;
    assert_eq!(balance(&db, &penniless).await, 0);
}

async fn a_plan_that_is_given_changes_a_known_user(db: DatabaseConnection) {
    let ring = ring(&db);
    let with = |plan| CreateKey { plan, ..key_for("ada@example.com") };
    for (given, then) in [(Some(Plan::Pro), Plan::Pro), (None, Plan::Pro), (Some(Plan::Starter), Plan::Starter)] {
        let created = create(&ring, with(given)).await;
        assert_eq!(resolve(&ring, &created.key).await.expect("a principal").plan, then);
    }
}

async fn many_first_keys_of_one_user_make_one_user(db: DatabaseConnection) {
    let ring = ring(&db);
    let created = join_all((0..20).map(|_| create(&ring, key_for("ada@example.com")))).await;
    assert!(created.iter().all(|key| key.user_id == created[0].user_id));
    assert_eq!(balance(&db, &created[0]).await, 100);
    for key in created {
        assert!(resolve(&ring, &key.key).await.is_some());
    }
}

async fn what_cannot_be_made_leaves_nothing_behind(db: DatabaseConnection) {
    let ring = ring(&db);
    let bad = ring.ask(key_for("not an address")).await.expect("answers");
    assert!(matches!(bad, Err(KeyRingError::BadEmail(address)) if address == "not an address"));
    let debt = CreateKey { credits: Some(-1), ..key_for("ada@example.com") };
    let refused = ring.ask(debt).await.expect("answers");
    assert!(matches!(refused, Err(KeyRingError::Ledger(LedgerError::BadAmount(-1)))), "{refused:?}");
    for table in ["users", "api_keys", "credit_txns"] {
        let row = sql::one(&db, &format!("SELECT COUNT(*) AS rows FROM {table}"), []).await.expect("counts");
        assert_eq!(row.expect("a row").try_get::<i64>("", "rows").expect("a number"), 0, "{table}");
    }
}

async fn keys_are_listed_newest_first(db: DatabaseConnection) {
    let ring = ring(&db);
    let mut made = Vec::new();
    for (email, name) in [("ada@example.com", "one"), ("bob@example.com", "two"), ("ada@example.com", "three")] {
        made.push(create(&ring, CreateKey { name: name.to_owned(), ..key_for(email) }).await);
    }
    let list = async |email: Option<&str>| {
        let asked = ListKeys { email: email.map(str::to_owned) };
        ring.ask(asked).await.expect("answers").expect("a list")
    };
    let names = |keys: Vec<KeySummary>| keys.into_iter().map(|key| key.name).collect::<Vec<_>>();
    assert_eq!(names(list(None).await), ["three", "two", "one"]);
    assert_eq!(names(list(Some("ADA@example.com")).await), ["three", "one"]);
    assert_eq!(names(list(Some("eve@example.com")).await), [""; 0]);
    let newest = list(None).await.remove(0);
    assert_eq!((newest.key_id, newest.prefix.as_str()), (made[2].key_id, &made[2].key[..12]));
    assert_eq!((newest.expires_at, newest.revoked_at), (None, None));
    let age = time::OffsetDateTime::now_utc() - newest.created_at;
    assert!(age >= time::Duration::ZERO && age < time::Duration::MINUTE, "{age}");
}

async fn the_first_admin_is_made_once(db: DatabaseConnection) {
    // Two rings are two processes as far as the database can tell.
    let rings = [ring(&db), ring(&db)];
    let answers = join_all((0..10).map(|turn| rings[turn % 2].ask(CreateFirstAdmin))).await;
    let answers = answers.into_iter().map(|answer| answer.expect("answers").expect("no fault"));
    let made: Vec<_> = answers.flatten().collect();
    assert_eq!(made.len(), 1);
    assert_eq!(balance(&db, &made[0]).await, 1_000_000);
    // Whichever ring made it, both must know it: they share one pepper.
    for ring in &rings {
        let admin = resolve(ring, &made[0].key).await.expect("a principal");
        assert_eq!((admin.email.as_str(), admin.plan), ("admin@localhost", Plan::Enterprise));
    }
    let keys = rings[0].ask(ListKeys { email: None }).await.expect("answers").expect("a list");
    assert_eq!(keys.iter().map(|key| key.name.as_str()).collect::<Vec<_>>(), ["admin"]);
}

async fn there_is_no_first_admin_where_there_are_users(db: DatabaseConnection) {
    let ring = ring(&db);
    create(&ring, key_for("ada@example.com")).await;
    assert!(ring.ask(CreateFirstAdmin).await.expect("answers").expect("no fault").is_none());
}

async fn no_key_in_clear_is_stored_or_shown(db: DatabaseConnection) {
    let ring = ring(&db);
    let created = create(&ring, key_for("ada@example.com")).await;
    let secret = &created.key[12..];
    assert!(!format!("{created:?} {:?}", ResolveKey { presented: created.key.clone() }).contains(secret));
    resolve(&ring, &created.key).await.expect("a principal");
    let stored = match db.get_database_backend() {
        sea_orm::DbBackend::Postgres => rows_as_text(&db).await,
        _ => bytes_of_the_file(&db).await,
    };
    let contains = |text: &str| stored.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(contains("ada@example.com") && contains(&created.key[..12]), "the test looks in the wrong place");
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert!(!contains(secret) && !contains(&hex));
}

async fn bytes_of_the_file(db: &DatabaseConnection) -> Vec<u8> {
    let row = sql::one(db, "SELECT file FROM pragma_database_list", []).await.expect("reads").expect("a row");
    let file: String = row.try_get("", "file").expect("a path");
    let mut bytes = std::fs::read(&file).expect("the file");
    bytes.extend(std::fs::read(format!("{file}-wal")).expect("the write-ahead log"));
    bytes
}

async fn rows_as_text(db: &DatabaseConnection) -> Vec<u8> {
    let mut text = String::new();
    for table in ["users", "api_keys", "secrets", "credit_accounts", "credit_holds", "credit_txns", "credit_entries"] {
        for row in sql::all(db, &format!("SELECT CAST({table} AS TEXT) AS row FROM {table}"), []).await.expect("rows") {
            text.push_str(&row.try_get::<String>("", "row").expect("a row"));
        }
    }
    text.into_bytes()
}
