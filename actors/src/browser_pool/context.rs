use std::sync::Arc;
use std::time::Duration;

use chromiumoxide::cdp::browser_protocol::browser::{
    BrowserContextId, SetDownloadBehaviorBehavior, SetDownloadBehaviorParams,
};
use chromiumoxide::cdp::browser_protocol::target::{
    AttachToTargetParams, CreateBrowserContextParams, CreateTargetParams, DisposeBrowserContextParams, SessionId,
};
use chromiumoxide::cdp::browser_protocol::{inspector, network, page};
use tokio::time::timeout;

use super::chromium::{Chromium, Stay};
use super::devtools::CallError;
use super::tab::{Fault, Tab, WATCHED};
use crate::egress::{Egress, FilteringProxy, Upstream};

/// What one page may transfer, all its requests together, in bytes.
const PAGE_BYTES: u64 = 100 * 1024 * 1024;
const DISPOSE_LIMIT: Duration = Duration::from_secs(5);

/// A browser context for one request, with a proxy of its own as its only way
/// out: nothing is shared with, or left to, the next one.
pub(super) struct Context {
    browser: Stay,
    id: BrowserContextId,
    /// Open until the context is disposed of, so that its port cannot be given
    /// to another context's proxy while this one may still dial it.
    proxy: FilteringProxy,
}

impl Context {
    /// Opens a context behind a new proxy, which goes on through `upstream`.
    ///
    /// # Errors
    /// [`Fault`]; a proxy that finds no port counts as [`Fault::Refused`].
    pub async fn open(browser: Arc<Chromium>, egress: Egress, upstream: Option<Upstream>) -> Result<Self, Fault> {
        let proxy = FilteringProxy::open(egress, upstream, PAGE_BYTES).await.map_err(|error| {
            tracing::error!(%error, "no proxy for a browser context");
            Fault::Refused
        })?;
        let browser = Stay::begin(browser);
        let create = CreateBrowserContextParams::builder()
            .dispose_on_detach(true)
            .proxy_server(format!("http://{}", proxy.address()))
            // Without a list of its own the context would go round the proxy
            // to every loopback address, whatever the browser's list says.
            .proxy_bypass_list("<-loopback>")
            .build();
        let id = browser.devtools.call(None, create).await?.browser_context_id;
        Ok(Self { browser, id, proxy })
    }

    /// The proxy's ledger of what it refused.
    pub fn proxy(&self) -> &FilteringProxy {
        &self.proxy
    }

    /// Opens an empty page in it, watched from its first event on.
    ///
    /// # Errors
    /// [`Fault`].
    pub async fn open_tab(&self) -> Result<Tab, Fault> {
        let devtools = &self.browser.devtools;
        let mut downloads = SetDownloadBehaviorParams::new(SetDownloadBehaviorBehavior::Deny);
        downloads.browser_context_id = Some(self.id.clone());
        let mut create = CreateTargetParams::new("about:blank");
        create.browser_context_id = Some(self.id.clone());
        let (_, created) = tokio::try_join!(devtools.call(None, downloads), devtools.call(None, create))?;
        let mut attach = AttachToTargetParams::new(created.target_id.clone());
        attach.flatten = Some(true);
        let session = devtools.call(None, attach).await?.session_id;
        let events = devtools.watch(session.clone(), WATCHED);
        // A page's main frame has the id of its target.
        let frame = page::FrameId::new(created.target_id.inner());
        let mut tab = Tab::new(devtools.clone(), session.clone(), frame, events);
        tab.during(self.enable(&session)).await?;
        Ok(tab)
    }

    async fn enable(&self, session: &SessionId) -> Result<(), CallError> {
        let devtools = &self.browser.devtools;
        // Bodies are never asked for, so the browser need not keep them.
        let network = network::EnableParams::builder().max_total_buffer_size(0).max_resource_buffer_size(0).build();
        // First what tells of a crash: the others would wait for a dead renderer.
        tokio::try_join!(
            devtools.call(Some(session), inspector::EnableParams::default()),
            devtools.call(Some(session), page::EnableParams::default()),
            devtools.call(Some(session), page::SetLifecycleEventsEnabledParams::new(true)),
            devtools.call(Some(session), network),
        )?;
        Ok(())
    }

    /// Disposes of the context and all that runs in it, then of the proxy. A
    /// browser that cannot even do that is ended.
    pub async fn close(self) {
        let dispose = DisposeBrowserContextParams::new(self.id.clone());
        match timeout(DISPOSE_LIMIT, self.browser.devtools.call(None, dispose)).await {
            Ok(Ok(_)) | Ok(Err(CallError::Gone)) => {}
            Ok(Err(CallError::Refused(reason))) => tracing::warn!(reason, "browser context was not disposed of"),
            Err(_) => {
                tracing::warn!(pid = self.browser.pid(), "browser does not dispose of a context, ending it");
                self.browser.close();
            }
        }
    }
}
