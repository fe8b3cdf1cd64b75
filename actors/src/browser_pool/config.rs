use std::path::PathBuf;
use std::time::Duration;

/// How many browsers there may be, where they come from and how long a page
/// may take.
#[derive(Debug, Clone)]
pub struct BrowserPoolConfig {
    /// The browser to start; `None` looks in the usual places.
    pub executable: Option<PathBuf>,
    /// Browser processes at most; each starts when it is needed.
    pub pool_size: usize,
    /// Pages open at once, over all browsers.
    pub max_pages: usize,
    /// How long a page may take to fire its load event.
    pub page_timeout: Duration,
    /// Whether a browser may run without its sandbox, as it must under root.
    pub allow_no_sandbox: bool,
    /// Bytes that the processes of one browser may hold together, mapped files
    /// aside; above it the largest page is ended and the browser replaced.
    pub memory_limit: u64,
    /// Where each browser gets a profile folder of its own, removed with it.
    pub scratch_dir: PathBuf,
}
