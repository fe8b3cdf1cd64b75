use std::path::{Path, PathBuf};

use super::procfs::{self, Process};
use super::profile::Profile;

/// What the names of profile folders begin with.
pub(super) const PREFIX: &str = "browser-";

/// Ends the browsers and removes the folders that an earlier life of the
/// service left in `scratch_dir`, as one that was killed does. What another
/// living process uses stays.
pub(super) async fn sweep(scratch_dir: PathBuf) {
    let Ok((abandoned, ended)) = tokio::task::spawn_blocking(move || end_orphans(&scratch_dir)).await else { return };
    if ended > 0 || !abandoned.is_empty() {
        tracing::warn!(browsers = ended, folders = abandoned.len(), "removing what an earlier run left over");
    }
    for profile in abandoned {
        profile.remove().await;
    }
}

/// Kills the browsers whose folder is gone or nobody's; returns the folders
/// that are nobody's, locked, and how many processes were killed.
fn end_orphans(scratch_dir: &Path) -> (Vec<Profile>, usize) {
    let entries = std::fs::read_dir(scratch_dir).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let abandoned: Vec<_> = folders.filter_map(|entry| Profile::abandoned(&entry.path())).collect();
    let is_orphan = |process: &Process| {
        process.profile().is_some_and(|folder| {
            let ours = folder.parent() == Some(scratch_dir)
                && folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
            ours && (!folder.exists() || abandoned.iter().any(|profile| profile.path() == folder))
        })
    };
    let orphans: Vec<_> = procfs::running().filter(is_orphan).collect();
    orphans.iter().for_each(Process::kill_with_group);
    (abandoned, orphans.len())
}
