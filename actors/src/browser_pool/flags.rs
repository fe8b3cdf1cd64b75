use std::ffi::OsString;
use std::path::Path;

/// Everything that is the same for every browser. The network flags are one
/// lock: measured with 35 ways out, a page reaches nothing but the proxy of its
/// own context only when all of them are there.
const ALWAYS: [&str; 45] = [
    "--headless",
    "--remote-debugging-port=0",
    // A context that forgot its proxy meets a closed port: it fails closed.
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    // Full Chromium obeys the first, the headless shell only the second.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--window-size=1280,720",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--mute-audio",
    "--js-flags=--max-old-space-size=512",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-notifications",
    "--disable-print-preview",
    "--disable-prompt-on-repost",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    "--log-level=3",
    // Only the last one counts, so there is one.
    "--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,\
     HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,InterestFeedContentSuggestions,MediaRouter,OptimizationHints,\
     Translate",
];

/// Returns the arguments of one browser process.
pub(super) fn arguments(profile: &Path, sandbox: bool) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ALWAYS.iter().map(OsString::from).collect();
    let mut folder = OsString::from("--user-data-dir=");
    folder.push(profile);
    arguments.push(folder);
    if !sandbox {
        arguments.push("--no-sandbox".into());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sandbox_stays_on_unless_it_is_given_up() {
        let with = arguments(Path::new("/profile"), true);
        let without = arguments(Path::new("/profile"), false);
        assert!(with.contains(&"--user-data-dir=/profile".into()));
        assert!(!with.contains(&"--no-sandbox".into()));
        assert!(without.contains(&"--no-sandbox".into()));
    }

    #[test]
    fn features_are_disabled_once_because_only_the_last_list_counts() {
        let count = ALWAYS.iter().filter(|flag| flag.starts_with("--disable-features")).count();
        assert_eq!(count, 1);
    }
}
