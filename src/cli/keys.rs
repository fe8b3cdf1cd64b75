use std::process::ExitCode;

use actors::key_ring::{CreateKey, CreatedKey, KeyRingActor, ListKeys, Plan, RevokeKey, RotateKey};
use actors::supervise::Gate;
use actors::system::key_ring;
use clap::{Args, Subcommand};
use serde_json::json;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

use super::{print, say};
use crate::settings::Settings;
use crate::startup::open_database;

#[derive(Subcommand)]
pub enum KeysCommand {
    /// Make a key, and its user if there is none with this e-mail.
    Create(CreateArguments),
    /// List keys, newest first.
    List {
        /// Only those of this user.
        #[arg(long)]
        email: Option<String>,
    },
    /// End a key within a second.
    Revoke { key_id: Uuid },
    /// Make a new key; the old one stays valid for 24 hours.
    Rotate {
        key_id: Uuid,
        /// Print one JSON object and nothing else.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
pub struct CreateArguments {
    #[arg(long)]
    email: String,
    /// A new user's plan (free unless given); changes a known user's.
    #[arg(long, value_parser = plan)]
    plan: Option<Plan>,
    /// A new user's opening balance in place of 100; a grant for a known user.
    #[arg(long, value_parser = clap::value_parser!(i64).range(0..=1_000_000_000_000))]
    credits: Option<i64>,
    /// What the key is called in lists.
    #[arg(long, default_value = "cli")]
    name: String,
    /// Print one JSON object and nothing else.
    #[arg(long)]
    json: bool,
}

fn plan(name: &str) -> Result<Plan, String> {
    Plan::parse(name).ok_or_else(|| "not one of free, starter, pro, enterprise".into())
}

/// Runs one of the key commands on the database of the settings.
pub async fn run(settings: Settings, command: KeysCommand) -> anyhow::Result<ExitCode> {
    let keys = key_ring(open_database(&settings).await?);
    match command {
        KeysCommand::Create(arguments) => create(&keys, arguments).await?,
        KeysCommand::List { email } => list(&keys, email).await?,
        KeysCommand::Revoke { key_id } => {
            keys.ask(RevokeKey { key_id }).await??;
            say("the key is revoked");
        }
        KeysCommand::Rotate { key_id, json } => show(&keys.ask(RotateKey { key_id }).await??, json)?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn create(keys: &Gate<KeyRingActor>, arguments: CreateArguments) -> anyhow::Result<()> {
    let CreateArguments { email, plan, credits, name, json } = arguments;
    let created = keys.ask(CreateKey { email, plan, credits, name }).await??;
    show(&created, json)
}

fn show(created: &CreatedKey, as_json: bool) -> anyhow::Result<()> {
    let CreatedKey { key, key_id, user_id } = created;
    if as_json {
        print(&json!({ "key": key, "key_id": key_id, "user_id": user_id }).to_string())?;
    } else {
        print(key)?;
        say(&format!("key id {key_id}, user id {user_id}; the key is shown only this once"));
    }
    Ok(())
}

async fn list(keys: &Gate<KeyRingActor>, email: Option<String>) -> anyhow::Result<()> {
    for key in keys.ask(ListKeys { email }).await?? {
        let now = time::OffsetDateTime::now_utc();
        let state = match (key.revoked_at, key.expires_at) {
            (Some(_), _) => "revoked".into(),
            (None, Some(at)) if at <= now => "expired".into(),
            (None, Some(at)) => format!("until {}", at.format(&Rfc3339)?),
            (None, None) => "valid".to_owned(),
        };
        let (id, prefix, plan) = (key.key_id, key.prefix, key.plan.as_str());
        print(&format!("{id}  {prefix}…  {plan:<10}  {state:<28}  {}  {}", key.email, key.name))?;
    }
    Ok(())
}
