use hyper::header::{CONNECTION, HeaderMap, HeaderName, HeaderValue, UPGRADE};

/// RFC 9110, section 7.6.1, and the unofficial `Proxy-Connection`: these speak
/// about one connection and are not passed on.
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Removes what concerns this hop alone, the headers that `Connection` names
/// included. A protocol upgrade is asked for anew, since it is passed through.
pub(super) fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let upgrade = headers.get(UPGRADE).cloned();
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    let upgrades = named.contains(&UPGRADE);
    for name in named {
        headers.remove(name);
    }
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
    if let (Some(upgrade), true) = (upgrade, upgrades) {
        headers.insert(UPGRADE, upgrade);
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(pairs: &[(&str, &str)]) -> Vec<String> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
        }
        strip_hop_by_hop(&mut headers);
        let mut left: Vec<_> = headers.keys().map(|name| name.to_string()).collect();
        left.sort();
        left
    }

    #[test]
    fn headers_of_the_hop_and_those_connection_names_are_removed() {
        let left = stripped(&[
            ("accept", "*/*"),
            ("connection", "close, X-Internal"),
            ("x-internal", "1"),
            ("proxy-authorization", "Basic x"),
            ("te", "trailers"),
            ("upgrade", "h2c"),
        ]);
        assert_eq!(left, ["accept"]);
    }

    #[test]
    fn an_upgrade_is_asked_for_again() {
        let left = stripped(&[("connection", "keep-alive, Upgrade"), ("upgrade", "websocket"), ("keep-alive", "5")]);
        assert_eq!(left, ["connection", "upgrade"]);
    }
}
