use tokio::net::TcpSocket;
use tokio::time::timeout;

use super::*;
use crate::egress::testing::{NameServer, Origin};

#[tokio::test]
async fn a_silent_address_is_passed_over_for_the_next() {
    // A full backlog is as silent as a lost packet.
    let silent = TcpSocket::new_v4().unwrap();
    silent.bind("127.0.0.3:0".parse().unwrap()).unwrap();
    let port = silent.local_addr().unwrap().port();
    let silent = silent.listen(1).unwrap();
    let mut queued = Vec::new();
    for _ in 0..4 {
        let dial = TcpSocket::new_v4().unwrap().connect(silent.local_addr().unwrap());
        queued.push(timeout(Duration::from_millis(50), dial).await);
    }
    let listener = TcpListener::bind(("127.0.0.4", port)).await.unwrap();
    let served = Origin::at(listener, |_| std::future::ready(()));
    let names = [("two.test", &["127.0.0.3", "127.0.0.4"][..])];
    let server = NameServer::start(&names).await;
    let mut config = config("127.0.0.0/8", "");
    config.nameservers = vec![server.address];
    let egress = Egress::new(config).unwrap();
    let dialled = timeout(Duration::from_secs(3), egress.connect("two.test", port)).await;
    let stream = dialled.expect("it does not wait for the first").unwrap();
    assert_eq!(stream.peer_addr().unwrap(), served.address);
    assert!(queued.iter().any(Result::is_err), "the first address was silent");
}
