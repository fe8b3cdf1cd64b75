//! From settings to a running application, and back to nothing in order.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use actix_web::middleware::{Compress, from_fn};
use actix_web::{App, HttpServer, web};
use actors::database::{Database, DatabaseConnection};
use actors::key_ring::{CreateFirstAdmin, CreatedKey};
use actors::system::ActorSystem;
use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::settings::Settings;
use crate::state::AppState;
use crate::{assembly, cors, envelope, request_id, routes, telemetry};

/// Time for what is in flight to finish after SIGTERM.
const DRAIN: Duration = Duration::from_secs(25);

/// Time for browsers to close and the database to be let go, after that.
pub(crate) const CLOSE: Duration = Duration::from_secs(15);

/// Why the application ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By a signal, or by [`Application::handle`].
    Asked,
    /// Because an actor could not be kept alive; to be started again from
    /// outside.
    Escalated,
}

/// The whole service, bound to its port and ready to run.
pub struct Application {
    port: u16,
    server: Server,
    system: ActorSystem,
    draining: Arc<AtomicBool>,
    first_key: Option<CreatedKey>,
    signals: Signals,
}

/// The signals that end the service. Listened to from the very start: one that
/// came while it starts would otherwise end it on the spot, browsers and all.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }
}

impl Application {
    /// Migrates the database, starts the actors and binds the port. Needs a
    /// running actix system.
    ///
    /// # Errors
    /// When the database, the egress settings or the port are not usable, or the
    /// signals cannot be listened to.
    pub async fn build(settings: Settings) -> anyhow::Result<Self> {
        let signals = Signals::listen()?;
        let listener = bind(&settings)?;
        let port = listener.local_addr()?.port();
        let database = open_database(&settings).await?;
        let system = ActorSystem::start(assembly::system_config(&settings, database, port).await?);
        let first_key = system.services().keys.ask(CreateFirstAdmin).await??;
        let draining = Arc::new(AtomicBool::new(false));
        let state = AppState {
            services: system.services(),
            settings: Arc::new(settings),
            draining: draining.clone(),
            metrics: telemetry::init_metrics(),
        };
        let server = serve(listener, state)?;
        Ok(Self { port, server, system, draining, first_key, signals })
    }

    /// The port that is listened on; of interest when the settings say 0.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The key of `admin@localhost`, when the database was empty. To be shown
    /// once, to the terminal alone.
    pub fn take_first_key(&mut self) -> Option<CreatedKey> {
        self.first_key.take()
    }

    /// The gates to the actors, for tests and tools in the same process.
    pub fn services(&self) -> actors::system::Services {
        self.system.services()
    }

    /// Stops the server from elsewhere in the process.
    pub fn handle(&self) -> ServerHandle {
        self.server.handle()
    }

    /// Serves until SIGTERM or SIGINT, or until an actor cannot be kept alive.
    /// Then, in order: no new connections, what is in flight finishes, browsers
    /// are closed, the database is let go.
    ///
    /// # Errors
    /// When the server itself fails.
    pub async fn run_until_stopped(mut self) -> anyhow::Result<Ended> {
        let Signals { mut terminate, mut interrupt } = self.signals;
        let handle = self.server.handle();
        let mut serving = actix_web::rt::spawn(self.server);
        let ended = tokio::select! {
            stopped = &mut serving => {
                stopped??;
                self.system.drain(CLOSE).await;
                return Ok(Ended::Asked);
            }
            _ = terminate.recv() => Ended::Asked,
            _ = interrupt.recv() => Ended::Asked,
            escalation = self.system.escalation() => {
                tracing::error!(actor = escalation.actor, "ending, because this actor cannot be kept alive");
                Ended::Escalated
            }
        };
        tracing::info!("shutting down");
        self.draining.store(true, Ordering::Relaxed);
        handle.stop(true).await;
        serving.await??;
        self.system.drain(CLOSE).await;
        Ok(ended)
    }
}

fn bind(settings: &Settings) -> anyhow::Result<TcpListener> {
    let address = (settings.http.bind, settings.http.port);
    TcpListener::bind(address)
        .with_context(|| format!("PORT: {} is not free on {}, for example PORT=3005", address.1, address.0))
}

/// Opens the database of the settings and brings its schema up to date.
///
/// # Errors
/// When it cannot be opened or migrated.
pub async fn open_database(settings: &Settings) -> anyhow::Result<DatabaseConnection> {
    let database =
        Database::open(settings.database.url.expose()).await.context("DATABASE_URL: the database cannot be opened")?;
    migration::migrate(&database).await.context("the database cannot be migrated")?;
    Ok(database)
}

fn serve(listener: TcpListener, state: AppState) -> std::io::Result<Server> {
    let app_origin = state.settings.http.app_url.clone();
    let state = web::Data::new(state);
    let server = HttpServer::new(move || {
        App::new()
            .app_data(state.clone())
            .wrap(Compress::default())
            .wrap(cors::for_origin(&app_origin))
            .wrap(from_fn(envelope::account_headers))
            .wrap(from_fn(request_id::identify))
            .configure(routes::configure)
    });
    Ok(server.disable_signals().shutdown_timeout(DRAIN.as_secs()).listen(listener)?.run())
}
