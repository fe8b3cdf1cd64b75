use std::fs;
use std::path::Path;

/// Clock ticks of `/proc` in a second.
const TICKS: f64 = 100.0;

/// Proportional set size of a process in MiB.
pub fn resident(process: u32) -> f64 {
    let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}

/// The set size in MiB of the browsers whose profiles are in `scratch`, and of
/// their helpers.
pub fn browsers(scratch: &Path) -> [f64; 2] {
    let flag = format!("--user-data-dir={}", scratch.display());
    let is_browser = |process: &u32| {
        let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).split('\0').any(|argument| argument.starts_with(&flag))
    };
    let browsers: Vec<u32> = processes().filter(is_browser).collect();
    let helpers = processes().filter(|process| {
        let group = stat(*process).and_then(|fields| fields.get(2)?.parse().ok());
        group.is_some_and(|group: u32| browsers.contains(&group) && group != *process)
    });
    [browsers.iter().map(|browser| resident(*browser)).sum(), helpers.map(resident).sum()]
}

/// CPU time in seconds that a process, its children and those they have
/// collected have used.
pub fn cpu_seconds(root: u32) -> f64 {
    let all: Vec<_> = processes().filter_map(|process| Some((process, stat(process)?))).collect();
    let mut members = vec![root];
    loop {
        let is_child = |(process, fields): &&(u32, Vec<String>)| {
            let parent = fields.get(1).and_then(|parent| parent.parse().ok());
            !members.contains(process) && parent.is_some_and(|parent: u32| members.contains(&parent))
        };
        let children: Vec<_> = all.iter().filter(is_child).map(|(process, _)| *process).collect();
        if children.is_empty() {
            break;
        }
        members.extend(children);
    }
    let ticks =
        |fields: &Vec<String>| -> f64 { (11..15).filter_map(|field| fields.get(field)?.parse::<f64>().ok()).sum() };
    all.iter().filter(|(process, _)| members.contains(process)).map(|(_, fields)| ticks(fields)).sum::<f64>() / TICKS
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The fields after the name: state, parent, group and so on.
fn stat(process: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    Some(stat.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}
