//! What a service that was killed leaves to the next one.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use tokio::time::sleep;

use super::kills::browsers;
use super::*;
use crate::browser_pool::{discover, flags};
use crate::egress::testing::Site;

/// A browser nobody looks after, with its profile in `folder`.
struct Orphan(Child);

impl Orphan {
    #[expect(clippy::disallowed_methods, reason = "a browser of a service that is no more")]
    async fn start(folder: &Path) -> Self {
        std::fs::create_dir_all(folder).expect("the folder can be made");
        let sandbox = !rustix::process::geteuid().is_root();
        let mut command = Command::new(discover::executable(None).expect("there is a browser"));
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.args(flags::arguments(folder, sandbox)).stderr(Stdio::null());
        let orphan = Self(command.spawn().expect("it starts"));
        while !folder.join("DevToolsActivePort").exists() {
            sleep(Duration::from_millis(20)).await;
        }
        orphan
    }

    fn has_ended(&mut self) -> bool {
        self.0.try_wait().expect("it is ours").is_some()
    }
}

impl Drop for Orphan {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[actix::test]
async fn what_an_earlier_life_left_is_ended_and_removed_and_nothing_else() {
    let (scratch, elsewhere) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let left = scratch.path().join("browser-left");
    let mut orphan = Orphan::start(&left).await;
    let mut homeless = Orphan::start(&scratch.path().join("browser-homeless")).await;
    // It may still be writing.
    while std::fs::remove_dir_all(scratch.path().join("browser-homeless")).is_err() {}
    let mut stranger = Orphan::start(&elsewhere.path().join("browser-other")).await;
    std::fs::create_dir(scratch.path().join("kept")).expect("it can be made");
    let site = Site::serve("127.0.0.2", |_| html("<p>up</p>")).await;
    let in_place = |config: &mut BrowserPoolConfig| config.scratch_dir = scratch.path().to_owned();

    let first = Rig::with(testing::egress(SITES, ""), in_place);
    first.render(&site.url("/")).await.expect("it is a page");
    assert!(orphan.has_ended() && homeless.has_ended() && !stranger.has_ended());
    assert!(!left.exists() && scratch.path().join("kept").exists());
    // A second service on the same folder leaves the first one's alone.
    let before = browsers(scratch.path());
    let second = Rig::with(testing::egress(SITES, ""), in_place);
    second.render(&site.url("/")).await.expect("it is a page");
    assert!(before.iter().all(|browser| browsers(scratch.path()).contains(browser)), "{before:?}");
    first.render(&site.url("/")).await.expect("it still is a page");
    assert_eq!(site.connections(), 3);
}
