use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use actors::system::Services;
use metrics_exporter_prometheus::PrometheusHandle;

use crate::settings::Settings;

/// What every handler may use. One value, built once and shared by all workers.
#[derive(Clone)]
pub struct AppState {
    /// The gates to the actors.
    pub services: Services,
    pub settings: Arc<Settings>,
    /// Set once the process is asked to end.
    pub draining: Arc<AtomicBool>,
    /// Renders `/metrics`.
    pub metrics: PrometheusHandle,
}
