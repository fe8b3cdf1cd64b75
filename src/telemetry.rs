//! Logs and metrics.

use std::io::IsTerminal;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt;

use crate::settings::{NodeEnv, Settings};

/// Bounds of the latency histograms, in seconds: from a cached answer to a page
/// that takes its whole time-out.
const SECONDS: [f64; 12] = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 30.0];

/// Starts logging to standard error: JSON in production, readable text
/// elsewhere. Calling it again changes nothing, which tests rely on.
pub fn init_logs(settings: &Settings) {
    // The first, sqlx and hyper log statements and frames, which may hold what must
    // not be kept; fred logs again, and again, what the shared store's circuit says once.
    let level = settings.http.log_level.as_str();
    let filter = EnvFilter::new(format!(
        "{level},chromiumoxide=off,fred=off,sqlx=warn,hickory_resolver=warn,hyper=warn,h2=warn"
    ));
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let subscriber = subscriber.with_ansi(std::io::stderr().is_terminal());
    let _ = if settings.http.node_env == NodeEnv::Production {
        subscriber.json().finish().try_init()
    } else {
        subscriber.compact().finish().try_init()
    };
}

/// Returns a recorder's handle for `/metrics`. The first call in a process
/// installs the recorder; later ones (in tests) get handles of their own.
pub fn init_metrics() -> PrometheusHandle {
    let builder = PrometheusBuilder::new();
    let builder = builder.set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &SECONDS);
    let recorder = builder.unwrap_or_else(|_| PrometheusBuilder::new()).build_recorder();
    let handle = recorder.handle();
    // Already installed: another application in this process has it.
    let _ = metrics::set_global_recorder(recorder);
    describe();
    handle
}

fn describe() {
    metrics::describe_histogram!(
        "blazon_http_request_duration_seconds",
        metrics::Unit::Seconds,
        "Time to answer, by route and status"
    );
    metrics::describe_counter!("blazon_cache_lookups_total", "Cache look-ups, by outcome");
    metrics::describe_gauge!("blazon_shared_store_up", "Whether the shared store answers");
    metrics::describe_counter!(
        "blazon_rate_checks_without_store_total",
        "Rate limit decisions made while the shared store was away"
    );
    metrics::describe_counter!("blazon_webhook_attempts_total", "Attempts at webhook deliveries, by outcome");
    metrics::describe_counter!("blazon_webhook_deliveries_total", "Webhook deliveries that ended, by state");
}
