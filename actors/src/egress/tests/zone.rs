//! The names of an attacker's DNS.

use std::net::IpAddr;

use hickory_resolver::proto::rr::{Record, RecordType};

use crate::egress::testing::{Answer, NameServer, address_record, alias_record};

/// The open site's address, for names that mix it with others.
const OPEN: &str = "127.0.0.2";

/// Names that lead inside, as a caller may write them.
pub(super) const PRIVATE_NAMES: &[&str] = &[
    "loopback.zone.test",
    "LOOPBACK.Zone.Test",
    "loopback.zone.test.",
    "\u{ff4c}oopback.zone.test",
    "loopback\u{3002}zone\u{ff0e}test",
    "unspecified.zone.test",
    "metadata.zone.test",
    "azure.zone.test",
    "ten.zone.test",
    "carrier.zone.test",
    "broadcast.zone.test",
    "multicast.zone.test",
    "six.zone.test",
    "six-mapped.zone.test",
    "six-link.zone.test",
    "six-unique.zone.test",
    "six-nat64.zone.test",
    "six-to-four.zone.test",
    "teredo.zone.test",
    "first-open.zone.test",
    "first-private.zone.test",
    "open-but-six.zone.test",
    "private-but-six.zone.test",
    "fifty.zone.test",
    "alias.zone.test",
    "alias-chain.zone.test",
    "alias-across.zone.test",
    "alias-to-mixed.zone.test",
    "alias-to-localhost.zone.test",
    "127.0.0.1.nip.test",
    "app.127.0.0.1.nip.test",
    "10.0.0.1.nip.test",
    "169.254.169.254.nip.test",
    "b\u{fc}cher.zone.test",
    "xn--bcher-kva.zone.test",
    "_service.zone.test",
    "any-label-of-sixty-three-letters-that-a-wildcard-record-answers.wild.test",
];

/// Names without an address.
pub(super) const ABSENT_NAMES: &[&str] = &[
    "absent.zone.test",
    "empty.zone.test",
    "alias-loop.zone.test",
    "alias-to-absent.zone.test",
    "intranet",
    "printer.local",
    "shop.invalid",
    "hidden.onion",
];

/// Names that lead to public addresses, for resolving alone.
pub(super) const PUBLIC_NAMES: &[&str] = &[
    "public.zone.test",
    "Public.Zone.Test.",
    "b\u{fc}cher.public.test",
    "alias-public.zone.test",
    "fifty-public.zone.test",
    "localhost.public.test",
    "127.0.0.1.public.test",
];

/// Serves the names above.
pub(super) async fn serve() -> NameServer {
    NameServer::answering(|name, kind| {
        let aliases = aliases(name);
        let last = aliases.last().map_or(name, |(_, target)| target);
        let mut records: Vec<Record> = aliases.iter().map(|(from, to)| alias_record(from, to)).collect();
        match addresses(last) {
            // The resolver has to ask again for the end of this one.
            Some(_) if name.contains("across") => {}
            Some(list) => records.extend(records_of(last, &list, kind)),
            None if records.is_empty() => return Answer::NoSuchName,
            None => {}
        }
        Answer::Records(records)
    })
    .await
}

fn records_of(name: &str, list: &[String], kind: RecordType) -> Vec<Record> {
    let parse = |text: &String| text.parse::<IpAddr>().expect("an address");
    list.iter().filter_map(|text| address_record(name, parse(text), kind, 60)).collect()
}

/// The chain of aliases that begins at `name`.
fn aliases(name: &str) -> &'static [(&'static str, &'static str)] {
    match name {
        "alias.zone.test" => &[("alias.zone.test", "loopback.zone.test")],
        "alias-chain.zone.test" => &[
            ("alias-chain.zone.test", "a.other.test"),
            ("a.other.test", "b.other.test"),
            ("b.other.test", "c.other.test"),
            ("c.other.test", "ten.zone.test"),
        ],
        "alias-across.zone.test" => &[("alias-across.zone.test", "across-two.zone.test")],
        "across-two.zone.test" => &[("across-two.zone.test", "loopback.zone.test")],
        "alias-to-mixed.zone.test" => &[("alias-to-mixed.zone.test", "first-open.zone.test")],
        "alias-to-localhost.zone.test" => &[("alias-to-localhost.zone.test", "localhost")],
        "alias-loop.zone.test" => &[("alias-loop.zone.test", "loop-two.zone.test")],
        "loop-two.zone.test" => &[("loop-two.zone.test", "alias-loop.zone.test")],
        "alias-to-absent.zone.test" => &[("alias-to-absent.zone.test", "absent.zone.test")],
        "alias-public.zone.test" => &[("alias-public.zone.test", "public.zone.test")],
        _ => &[],
    }
}

fn addresses(name: &str) -> Option<Vec<String>> {
    let label = name.strip_suffix(".zone.test");
    let list: &[&str] = match label.unwrap_or(name) {
        "loopback" | "xn--bcher-kva" | "_service" | "localhost" => &["127.0.0.1"],
        "unspecified" => &["0.0.0.0"],
        "metadata" => &["169.254.169.254"],
        "azure" => &["168.63.129.16"],
        "ten" => &["10.0.0.1"],
        "carrier" => &["100.64.0.1"],
        "broadcast" => &["255.255.255.255"],
        "multicast" => &["224.0.0.251"],
        "six" => &["::1"],
        "six-mapped" => &["::ffff:127.0.0.1"],
        "six-link" => &["fe80::1"],
        "six-unique" => &["fd00::2"],
        "six-nat64" => &["64:ff9b::7f00:1"],
        "six-to-four" => &["2002:7f00:1::"],
        "teredo" => &["2001:0:7f00:1::"],
        "first-open" => &[OPEN, "127.0.0.1"],
        "first-private" => &["127.0.0.1", OPEN],
        "open-but-six" => &[OPEN, "::1"],
        "private-but-six" => &["127.0.0.1", "2606:4700::1111"],
        "fifty" => return Some(fifty("127.0.0.", Some("10.0.0.1"))),
        "fifty-public" => return Some(fifty("8.8.8.", None)),
        "empty" => &[],
        "public" => &["1.1.1.1", "2606:4700::1111"],
        _ if name.ends_with(".public.test") => &["8.8.4.4"],
        _ if name.ends_with(".wild.test") => &["127.0.0.1"],
        _ => return nip(name),
    };
    Some(list.iter().map(|text| (*text).to_owned()).collect())
}

/// Fifty addresses; with `private`, all others are the open site's and it
/// stands late among them.
fn fifty(network: &str, private: Option<&str>) -> Vec<String> {
    let address = |number| match private {
        Some(private) if number == 37 => private.to_owned(),
        Some(_) => OPEN.to_owned(),
        None => format!("{network}{}", number + 1),
    };
    (0..50).map(address).collect()
}

/// `app.10.0.0.1.nip.test` is 10.0.0.1.
fn nip(name: &str) -> Option<Vec<String>> {
    let labels: Vec<&str> = name.strip_suffix(".nip.test")?.split('.').collect();
    Some(vec![labels[labels.len().checked_sub(4)?..].join(".")])
}
