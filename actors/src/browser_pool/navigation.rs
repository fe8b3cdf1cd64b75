use serde::Deserialize;
use serde_json::{Map, Value};

use super::answer::Answer;
use super::devtools::DevToolsEvent;

/// The events that [`Navigation`] is folded from.
pub(super) const REQUEST: &str = "Network.requestWillBeSent";
pub(super) const RESPONSE: &str = "Network.responseReceived";
pub(super) const DATA: &str = "Network.dataReceived";
pub(super) const FAILURE: &str = "Network.loadingFailed";
pub(super) const LIFECYCLE: &str = "Page.lifecycleEvent";

/// The largest document that is read: bytes of its source, or UTF-16 units of
/// its markup as it stands.
pub(super) const MAX_DOCUMENT: usize = 20 * 1024 * 1024;

/// A document of the main frame, from its request on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Document {
    /// Chromium's name for this load; no other document has it.
    pub loader: String,
    /// The address last requested, after redirects.
    pub url: String,
    pub answer: Option<Answer>,
    /// Bytes of its source so far, inflated.
    pub received: usize,
    /// The load event has fired.
    pub is_loaded: bool,
    /// Chromium's error, such as `net::ERR_NAME_NOT_RESOLVED`.
    pub failure: Option<String>,
}

/// Where the main frame is: the document it shows and the one it is on the way
/// to. Folded from DevTools events; pure.
#[derive(Debug, Default)]
pub(super) struct Navigation {
    frame: String,
    shown: Document,
    coming: Option<Document>,
    last_answered: Option<Document>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestSent {
    request_id: String,
    loader_id: String,
    frame_id: String,
    #[serde(rename = "type", default)]
    kind: String,
    request: Requested,
}

#[derive(Deserialize)]
struct Requested {
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResponseReceived {
    request_id: String,
    response: Received,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Received {
    status: u16,
    #[serde(default)]
    headers: Map<String, Value>,
    #[serde(default)]
    mime_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DataReceived {
    request_id: String,
    data_length: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LoadingFailed {
    request_id: String,
    error_text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lifecycle {
    frame_id: String,
    loader_id: String,
    name: String,
}

impl Navigation {
    /// Starts with an empty document in the main frame `frame`.
    pub fn new(frame: String) -> Self {
        Self { frame, ..Self::default() }
    }

    /// The document that the frame shows.
    pub fn shown(&self) -> &Document {
        &self.shown
    }

    /// The document that the frame is on its way to, if any.
    pub fn coming(&self) -> Option<&Document> {
        self.coming.as_ref()
    }

    /// The document that was answered last, shown or not (a download or an
    /// answer without content never is).
    pub fn last_answered(&self) -> Option<&Document> {
        self.last_answered.as_ref()
    }

    /// Whether there is nothing more to wait for: the document shown has loaded
    /// or is too large, or the last step has failed.
    pub fn is_at_rest(&self) -> bool {
        match &self.coming {
            _ if self.is_too_large() => true,
            Some(coming) => coming.failure.is_some(),
            None => self.shown.is_loaded || self.shown.failure.is_some(),
        }
    }

    /// Whether the source of the document shown is larger than any that is read.
    ///
    /// A renderer that is busy with such a document reports little of what it
    /// receives, hence the look at what was announced.
    pub fn is_too_large(&self) -> bool {
        let announced = self.shown.answer.as_ref().and_then(Answer::content_length);
        self.shown.received.max(announced.unwrap_or(0)) > MAX_DOCUMENT
    }

    /// The document that failed, if the last step did.
    pub fn failed(&self) -> Option<&Document> {
        let documents = self.coming.iter().chain([&self.shown]);
        documents.into_iter().find(|document| document.failure.is_some())
    }

    /// Takes an event in; one that cannot be read or is not about the main
    /// frame's documents changes nothing.
    pub fn apply(&mut self, event: DevToolsEvent) {
        match event.method.as_str() {
            REQUEST => read(event.params).map(|sent| self.request(sent)),
            RESPONSE => read(event.params).map(|received| self.response(received)),
            DATA => read(event.params).map(|piece| self.data(piece)),
            FAILURE => read(event.params).map(|failed| self.failure(failed)),
            LIFECYCLE => read(event.params).map(|stage| self.lifecycle(stage)),
            _ => None,
        };
    }

    fn request(&mut self, sent: RequestSent) {
        // A navigation's request carries the id of the loader it begins; but so
        // does that of a beacon, which begins none.
        if sent.kind != "Document"
            || sent.frame_id != self.frame
            || sent.request_id != sent.loader_id
            || sent.loader_id == self.shown.loader
        {
            return;
        }
        let url = sent.request.url;
        match &mut self.coming {
            Some(document) if document.loader == sent.loader_id => document.url = url,
            coming => *coming = Some(Document { loader: sent.loader_id, url, ..Document::default() }),
        }
    }

    fn response(&mut self, received: ResponseReceived) {
        let Some(document) = self.document(&received.request_id) else { return };
        document.answer = Some(Answer {
            status: received.response.status,
            headers: headers(received.response.headers),
            mime_type: received.response.mime_type,
        });
        self.last_answered = Some(document.clone());
    }

    fn data(&mut self, piece: DataReceived) {
        if let Some(document) = self.document(&piece.request_id) {
            document.received = document.received.saturating_add(piece.data_length);
        }
    }

    fn failure(&mut self, failed: LoadingFailed) {
        // An abort is a download, an answer without content or a navigation
        // that another one overtook: the frame keeps what it shows.
        if failed.error_text == "net::ERR_ABORTED" {
            self.coming.take_if(|document| document.loader == failed.request_id);
        } else if let Some(document) = self.document(&failed.request_id) {
            document.failure = Some(failed.error_text);
        }
    }

    fn lifecycle(&mut self, stage: Lifecycle) {
        if stage.frame_id != self.frame {
            return;
        }
        if stage.loader_id != self.shown.loader {
            let arrived = self.coming.take_if(|document| document.loader == stage.loader_id);
            self.shown = arrived.unwrap_or(Document { loader: stage.loader_id, ..Document::default() });
        }
        match stage.name.as_str() {
            "init" => self.shown.is_loaded = false,
            "load" => self.shown.is_loaded = true,
            _ => {}
        }
    }

    fn document(&mut self, loader: &str) -> Option<&mut Document> {
        let coming = self.coming.as_mut().filter(|document| document.loader == loader);
        coming.or(Some(&mut self.shown).filter(|document| document.loader == loader))
    }
}

fn read<T: serde::de::DeserializeOwned>(params: Value) -> Option<T> {
    serde_json::from_value(params).ok()
}

/// Chromium joins the values of a repeated header by line feeds.
fn headers(fields: Map<String, Value>) -> Vec<(String, String)> {
    let values = |(name, value): (String, Value)| {
        let name = name.to_ascii_lowercase();
        let lines: Vec<_> = value.as_str().unwrap_or_default().split('\n').map(str::to_owned).collect();
        lines.into_iter().map(move |line| (name.clone(), line))
    };
    fields.into_iter().flat_map(values).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn after(events: &[(&str, Value)]) -> Navigation {
        let mut navigation = Navigation::new("main".to_owned());
        for (method, params) in events {
            navigation.apply(DevToolsEvent { method: (*method).to_owned(), session: None, params: params.clone() });
        }
        navigation
    }

    fn request(loader: &str, url: &str) -> (&'static str, Value) {
        (
            REQUEST,
            json!({"requestId": loader, "loaderId": loader, "frameId": "main", "type": "Document", "request": {"url": url}}),
        )
    }

    fn response(loader: &str, status: u16) -> (&'static str, Value) {
        let response = json!({"status": status, "mimeType": "text/html", "headers": {"Link": "a\nb"}});
        (RESPONSE, json!({"requestId": loader, "response": response}))
    }

    fn stage(loader: &str, name: &str) -> (&'static str, Value) {
        (LIFECYCLE, json!({"frameId": "main", "loaderId": loader, "name": name}))
    }

    fn failure(loader: &str, error: &str) -> (&'static str, Value) {
        (FAILURE, json!({"requestId": loader, "errorText": error}))
    }

    #[test]
    fn a_document_is_followed_from_its_request_through_redirects_to_its_load_event() {
        let mut events = vec![request("1", "http://a/"), request("1", "http://b/"), response("1", 404)];
        assert_eq!(after(&events).coming().map(|document| document.url.as_str()), Some("http://b/"));
        events.extend([stage("1", "init"), stage("1", "load")]);
        let navigation = after(&events);
        let shown = navigation.shown();
        assert!(navigation.coming().is_none() && shown.is_loaded);
        let answer = shown.answer.as_ref().expect("it was answered");
        assert_eq!(answer.status, 404);
        assert_eq!(answer.headers, [("link".to_owned(), "a".to_owned()), ("link".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn a_navigation_by_script_takes_the_place_of_the_document() {
        let mut events = vec![request("1", "http://a/"), response("1", 200), stage("1", "init"), stage("1", "load")];
        events.push(request("2", "http://a/next"));
        assert!(after(&events).coming().is_some() && after(&events).shown().is_loaded);
        events.extend([response("2", 203), stage("2", "init")]);
        let navigation = after(&events);
        assert_eq!(navigation.shown().answer.as_ref().map(|answer| answer.status), Some(203));
        assert!(!navigation.shown().is_loaded);
    }

    #[test]
    fn an_aborted_navigation_leaves_the_document_in_place() {
        let shown = [request("1", "http://a/"), response("1", 200), stage("1", "init"), stage("1", "load")];
        let download = [request("2", "http://a/file"), response("2", 200), failure("2", "net::ERR_ABORTED")];
        let navigation =
            after(&[shown, [download[0].clone(), download[1].clone(), download[2].clone(), stage("1", "x")]].concat());
        assert!(navigation.coming().is_none());
        assert_eq!(navigation.shown().url, "http://a/");
        assert_eq!(navigation.last_answered().map(|document| document.url.as_str()), Some("http://a/file"));
    }

    #[test]
    fn a_failed_navigation_keeps_its_error() {
        let navigation = after(&[request("1", "http://a/"), failure("1", "net::ERR_CERT_DATE_INVALID")]);
        let coming = navigation.coming().expect("it has not been replaced");
        assert_eq!(coming.failure.as_deref(), Some("net::ERR_CERT_DATE_INVALID"));
    }

    #[test]
    fn a_source_without_end_is_not_waited_for() {
        let piece = || (DATA, json!({"requestId": "1", "dataLength": MAX_DOCUMENT / 2 + 1}));
        let mut events = vec![request("1", "http://a/"), response("1", 200), stage("1", "init"), piece()];
        assert!(!after(&events).is_at_rest());
        events.push(piece());
        assert!(after(&events).is_too_large() && after(&events).is_at_rest());
    }

    #[test]
    fn frames_and_subresources_change_nothing() {
        let sent = |request: &str, loader: &str, frame: &str, kind: &str| {
            let url = json!({"url": "http://x/"});
            (REQUEST, json!({"requestId": request, "loaderId": loader, "frameId": frame, "type": kind, "request": url}))
        };
        let frame = sent("7", "7", "other", "Document");
        let image = sent("8", "1", "main", "Image");
        let beacon = sent("9", "9", "main", "Ping");
        let navigation =
            after(&[frame, image, beacon, failure("8", "net::ERR_FAILED"), failure("9", "net::ERR_FAILED")]);
        assert_eq!(navigation.shown(), &Document::default());
        assert!(navigation.coming().is_none());
    }
}
