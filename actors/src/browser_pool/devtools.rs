use std::collections::HashMap;

use chromiumoxide::cdp::browser_protocol::target::SessionId;
use chromiumoxide::types::{CallId, EventMessage, Message, MethodId, Response};
use chromiumoxide::{Command, Connection, Method};
use futures::StreamExt;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

/// Why a DevTools command has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CallError {
    /// The connection ended; so did the browser, or it soon will.
    #[error("the browser is gone")]
    Gone,
    /// The browser refused the command.
    #[error("{0}")]
    Refused(String),
}

/// A DevTools event, its parameters as they came: fields we do not read may
/// change from one Chromium to the next.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct DevToolsEvent {
    pub method: String,
    #[serde(rename = "sessionId")]
    pub session: Option<String>,
    #[serde(default)]
    pub params: Value,
}

impl Method for DevToolsEvent {
    fn identifier(&self) -> MethodId {
        self.method.clone().into()
    }
}

impl EventMessage for DevToolsEvent {
    fn session_id(&self) -> Option<&str> {
        self.session.as_deref()
    }
}

/// The events of one session, in the order in which the browser sent them.
pub(super) type Events = mpsc::UnboundedReceiver<DevToolsEvent>;

enum Order {
    Call { method: MethodId, session: Option<SessionId>, params: Value, answer: Option<Answer> },
    Watch { session: SessionId, methods: &'static [&'static str], events: mpsc::UnboundedSender<DevToolsEvent> },
}

type Answer = oneshot::Sender<Result<Value, CallError>>;

/// A handle on the DevTools connection of one browser.
///
/// chromiumoxide's `Browser` and `Handler` are not used, only its connection
/// and its commands: its event streams lose the order among each other, it
/// attaches to every pop-up, a navigation answers after the load event or never,
/// and a dead browser leaves every command waiting for 30 to 60 s. Here events
/// precede the answer they came before, and the end of the connection ends
/// every wait at once.
#[derive(Debug, Clone)]
pub(super) struct DevTools {
    orders: mpsc::UnboundedSender<Order>,
}

impl DevTools {
    /// Connects to a browser's `ws://` address, and returns the handle with the
    /// future that serves it: when that ends, the connection has.
    ///
    /// # Errors
    /// What the WebSocket handshake failed of.
    pub async fn connect(address: &str) -> Result<(Self, impl Future<Output = ()> + use<>), String> {
        let connection = Connection::connect(address).await.map_err(|error| error.to_string())?;
        let (orders, incoming) = mpsc::unbounded_channel();
        Ok((Self { orders }, serve(connection, incoming)))
    }

    /// Whether the connection still stands.
    pub fn is_connected(&self) -> bool {
        !self.orders.is_closed()
    }

    /// Sends a command and awaits its result; without a session it is the
    /// browser's own.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn call<C: Command>(&self, session: Option<&SessionId>, command: C) -> Result<C::Response, CallError> {
        let (answer, answered) = oneshot::channel();
        self.order(session, &command, Some(answer))?;
        let value = answered.await.map_err(|_| CallError::Gone)??;
        C::response_from_value(value).map_err(|error| CallError::Refused(error.to_string()))
    }

    /// Sends a command whose result nobody needs.
    pub fn send<C: Command>(&self, session: &SessionId, command: C) {
        // A connection that is gone shows at the next call that matters.
        let _ = self.order(Some(session), &command, None);
    }

    /// Starts to collect the named events of a session. They stop with the
    /// connection or when the receiver is dropped.
    pub fn watch(&self, session: SessionId, methods: &'static [&'static str]) -> Events {
        let (events, receiver) = mpsc::unbounded_channel();
        // When nobody serves any more, the sender is dropped here and the
        // receiver sees the end.
        let _ = self.orders.send(Order::Watch { session, methods, events });
        receiver
    }

    fn order<C: Command>(
        &self,
        session: Option<&SessionId>,
        command: &C,
        answer: Option<Answer>,
    ) -> Result<(), CallError> {
        let params = serde_json::to_value(command).map_err(|error| CallError::Refused(error.to_string()))?;
        let order = Order::Call { method: command.identifier(), session: session.cloned(), params, answer };
        self.orders.send(order).map_err(|_| CallError::Gone)
    }
}

struct Watch {
    methods: &'static [&'static str],
    events: mpsc::UnboundedSender<DevToolsEvent>,
}

#[derive(Default)]
struct Switchboard {
    calls: HashMap<CallId, Answer>,
    watches: HashMap<String, Watch>,
}

/// Ends when the socket does or the last handle is dropped; either way the
/// senders go with it, and everyone who waits knows.
async fn serve(mut connection: Connection<DevToolsEvent>, mut orders: mpsc::UnboundedReceiver<Order>) {
    let mut board = Switchboard::default();
    loop {
        tokio::select! {
            order = orders.recv() => match order {
                Some(order) => board.place(&mut connection, order),
                None => return,
            },
            message = connection.next() => match message {
                Some(Ok(Message::Response(response))) => board.answer(response),
                Some(Ok(Message::Event(event))) => board.pass_on(event),
                Some(Err(chromiumoxide::error::CdpError::InvalidMessage(_, error))) => {
                    tracing::debug!(%error, "browser sent a message that is not understood");
                }
                Some(Err(error)) => {
                    tracing::debug!(%error, "connection to the browser broke");
                    return;
                }
                None => return,
            },
        }
    }
}

impl Switchboard {
    fn place(&mut self, connection: &mut Connection<DevToolsEvent>, order: Order) {
        match order {
            Order::Watch { session, methods, events } => {
                self.watches.insert(session.into(), Watch { methods, events });
            }
            Order::Call { method, session, params, answer } => {
                match (connection.submit_command(method, session, params), answer) {
                    (Ok(id), Some(answer)) => {
                        self.calls.insert(id, answer);
                    }
                    (Err(error), Some(answer)) => {
                        let _ = answer.send(Err(CallError::Refused(error.to_string())));
                    }
                    (_, None) => {}
                }
            }
        }
    }

    fn answer(&mut self, response: Response) {
        let Some(answer) = self.calls.remove(&response.id) else { return };
        let result = match (response.result, response.error) {
            (Some(result), _) => Ok(result),
            (None, Some(error)) => Err(CallError::Refused(error.message)),
            (None, None) => Err(CallError::Refused("an answer without a result".to_owned())),
        };
        // Whoever asked may have gone at its deadline.
        let _ = answer.send(result);
    }

    fn pass_on(&mut self, event: DevToolsEvent) {
        let Some(session) = event.session.as_deref() else { return };
        let Some(watch) = self.watches.get(session) else { return };
        if watch.methods.contains(&event.method.as_str()) {
            let session = session.to_owned();
            if watch.events.send(event).is_err() {
                self.watches.remove(&session);
            }
        }
    }
}
