use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hickory_resolver::proto::op::{Message, ResponseCode};
use hickory_resolver::proto::rr::rdata::CNAME;
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

/// A name server on loopback; it ends with the value.
pub(crate) struct NameServer {
    pub address: SocketAddr,
    queries: Arc<AtomicUsize>,
    serving: JoinHandle<()>,
}

/// What a name server says.
pub(crate) enum Answer {
    /// These, none of them included.
    Records(Vec<Record>),
    NoSuchName,
    /// Nothing at all.
    Silence,
}

impl NameServer {
    /// Answers with `records`, name to addresses of either family; names it was
    /// not given do not exist.
    pub(crate) async fn start(records: &[(&str, &[&str])]) -> Self {
        let parse = |address: &&str| address.parse::<IpAddr>().expect("an address");
        let zone: HashMap<String, Vec<IpAddr>> =
            records.iter().map(|(name, list)| ((*name).to_owned(), list.iter().map(parse).collect())).collect();
        Self::answering(move |name, kind| match zone.get(name) {
            Some(list) => Answer::Records(list.iter().filter_map(|ip| address_record(name, *ip, kind, 60)).collect()),
            None => Answer::NoSuchName,
        })
        .await
    }

    /// Asks `decide` about each name (lower case, no final dot) and record type.
    pub(crate) async fn answering<F>(mut decide: F) -> Self
    where
        F: FnMut(&str, RecordType) -> Answer + Send + 'static,
    {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a loopback port is free");
        let address = socket.local_addr().expect("it is bound");
        let queries = Arc::new(AtomicUsize::new(0));
        let counter = queries.clone();
        let serving = tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok((length, peer)) = socket.recv_from(&mut buffer).await {
                counter.fetch_add(1, Ordering::SeqCst);
                let query = Message::from_vec(&buffer[..length]).expect("a DNS message");
                if let Some(answer) = answer(&mut decide, query) {
                    let bytes = answer.to_vec().expect("it can be written");
                    socket.send_to(&bytes, peer).await.expect("loopback takes it");
                }
            }
        });
        Self { address, queries, serving }
    }

    /// Questions so far; a look-up of both families is two.
    pub(crate) fn queries(&self) -> usize {
        self.queries.load(Ordering::SeqCst)
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn answer(decide: &mut impl FnMut(&str, RecordType) -> Answer, query: Message) -> Option<Message> {
    let mut message = query.into_response();
    let question = message.queries[0].clone();
    let name = question.name().to_ascii().to_lowercase();
    match decide(name.trim_end_matches('.'), question.query_type()) {
        Answer::Records(records) => {
            message.add_answers(records);
        }
        Answer::NoSuchName => message.metadata.response_code = ResponseCode::NXDomain,
        Answer::Silence => return None,
    }
    Some(message)
}

/// The record of `ip` when a question of this type asks for its family.
pub(crate) fn address_record(name: &str, ip: IpAddr, asked: RecordType, ttl: u32) -> Option<Record> {
    let family = if ip.is_ipv4() { RecordType::A } else { RecordType::AAAA };
    (asked == family).then(|| Record::from_rdata(absolute(name), ttl, RData::from(ip)))
}

/// The record that sends `name` on to `target`.
pub(crate) fn alias_record(name: &str, target: &str) -> Record {
    Record::from_rdata(absolute(name), 60, RData::CNAME(CNAME(absolute(target))))
}

fn absolute(name: &str) -> Name {
    Name::from_ascii(format!("{name}.")).expect("a name")
}
