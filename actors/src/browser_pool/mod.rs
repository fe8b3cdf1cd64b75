//! Own Chromium processes over CDP: one isolated context per request, which can
//! reach the network through the filtering proxy alone.

mod messages;

pub use messages::{BrowserHealth, GetBrowserHealth, RenderError, RenderPage, RenderedPage};
