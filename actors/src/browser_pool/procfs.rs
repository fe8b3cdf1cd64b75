use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// A process of this machine, as `/proc` shows it. Elsewhere than on Linux
/// there are none to be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Process {
    pub pid: i32,
    pub group: i32,
}

/// Every process that runs; those that have ended and wait to be collected do
/// not.
pub(super) fn running() -> impl Iterator<Item = Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| running_process(entry.file_name().to_str()?.parse().ok()?))
}

fn running_process(pid: i32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything, a parenthesis too.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let (state, _parent, group) = (fields.next()?, fields.next()?, fields.next()?);
    (!matches!(state, "Z" | "X")).then_some(Process { pid, group: group.parse().ok()? })
}

impl Process {
    /// Its command line, empty when it has just ended.
    pub fn arguments(&self) -> Vec<String> {
        let line = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        // Chromium joins the arguments of its helpers by spaces.
        String::from_utf8_lossy(&line).split(['\0', ' ']).map(str::to_owned).collect()
    }

    /// Whether it renders pages.
    pub fn is_renderer(&self) -> bool {
        self.arguments().iter().any(|argument| argument == "--type=renderer")
    }

    /// Bytes that it holds besides the files it has mapped, which it shares.
    pub fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap_or_default();
        let kib = |field: &str| -> u64 {
            let line = status.lines().find_map(|line| line.strip_prefix(field));
            line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
        };
        (kib("RssAnon:") + kib("RssShmem:")) * 1024
    }

    /// Kills it. That it has ended meanwhile is no error.
    pub fn kill(&self) {
        if let Some(pid) = Pid::from_raw(self.pid) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    /// Kills it with its whole group when it leads one.
    pub fn kill_with_group(&self) {
        self.kill();
        if let Some(group) = Pid::from_raw(self.pid).filter(|_| self.pid == self.group) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// The profile folder of the browser that it is, if it is one.
    pub fn profile(&self) -> Option<std::path::PathBuf> {
        let line = fs::read(format!("/proc/{}/cmdline", self.pid)).ok()?;
        let line = String::from_utf8_lossy(&line).into_owned();
        let folder = line.split('\0').find_map(|argument| argument.strip_prefix("--user-data-dir="))?;
        Some(Path::new(folder).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_seen_with_what_it_holds() {
        let pid = i32::try_from(std::process::id()).expect("a pid");
        let own = running().find(|process| process.pid == pid).expect("it runs");
        assert!(own.memory() > 100 * 1024 && !own.is_renderer());
        assert!(!own.arguments().is_empty() && own.profile().is_none());
    }
}
