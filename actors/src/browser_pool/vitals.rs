use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use chromiumoxide::cdp::browser_protocol::browser::GetVersionParams;
use tokio::time::{sleep, timeout};

use super::devtools::DevTools;
use super::procfs::{self, Process};
use super::wear::Wear;

const BEAT: Duration = Duration::from_secs(1);
/// A browser that has not answered for so long will not: a page alone does not
/// hold the process that answers up.
const SILENCE: Duration = Duration::from_secs(4);

/// Returns when the browser no longer answers.
pub(super) async fn silence(devtools: &DevTools) {
    loop {
        sleep(BEAT).await;
        let version = devtools.call(None, GetVersionParams::default());
        if timeout(SILENCE, version).await.is_err() {
            return;
        }
    }
}

/// Watches what the browser's processes hold. Over the limit, the largest page
/// is ended, so that its neighbours can finish, and no page follows them.
pub(super) async fn watch_memory(pid: u32, wear: Arc<Wear>) -> Infallible {
    loop {
        sleep(BEAT).await;
        if !wear.is_in_use() {
            continue;
        }
        let limit = wear.memory_limit;
        // Other machines' `/proc` may be long.
        let relieved = tokio::task::spawn_blocking(move || relieve(pid, limit)).await;
        if let Ok(Some(held)) = relieved {
            wear.note_heavy();
            tracing::warn!(pid, held, limit, "browser holds too much memory, its largest page was ended");
        }
    }
}

/// Kills the group's largest renderer when the group holds more than `limit`
/// bytes; returns how many it held then.
fn relieve(group: u32, limit: u64) -> Option<u64> {
    let group = i32::try_from(group).ok()?;
    let weigh = |process: Process| (process.memory(), process);
    let members: Vec<_> = procfs::running().filter(|process| process.group == group).map(weigh).collect();
    let held = members.iter().map(|(memory, _)| memory).sum();
    if held <= limit {
        return None;
    }
    let renderers = members.iter().filter(|(_, process)| process.is_renderer());
    if let Some((_, largest)) = renderers.max_by_key(|(memory, _)| memory) {
        largest.kill();
    }
    Some(held)
}
