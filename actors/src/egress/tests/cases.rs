//! What an attacker writes to reach this machine or its network, and what only
//! looks like it.

use super::zone;

/// How far a case may get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Refused for one of these reasons.
    Refused(&'static [&'static str]),
    /// Refused because the name has no address. An upstream proxy is asked
    /// nonetheless: it may know more names.
    Unresolved,
    /// Answered by the open site, whatever it looks like.
    Harmless,
    /// Answered by the open site in the words of a proxy that refuses: behind an
    /// upstream proxy nobody can tell who said it.
    LikeAProxy,
}

/// One thing to try.
#[derive(Debug, Clone)]
pub(super) enum Attempt {
    /// A URL as a caller writes it.
    Url(String),
    /// The open site's answer, status line to end; the visit begins there.
    Answer(String),
}

/// An attempt and how it must end.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub attempt: Attempt,
    pub outcome: Outcome,
}

const PRIVATE: Outcome = Outcome::Refused(&["private_address"]);
const BAD: Outcome = Outcome::Refused(&["bad_url"]);
const NOWHERE: Outcome = Outcome::Refused(&["blocked"]);

/// 127.0.0.1 in every spelling that some parser understands.
const LOOPBACK: &[&str] = &[
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.0.0.1.",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0X7F000001",
    "0x7f.1",
    "0x7f.0x0.0x0.0x1",
    "0x000000007f.0.0.1",
    "0177.0.0.1",
    "0177.0.0.01",
    "00000177.1",
    "017700000001",
    "0x7f.0.0.01",
    "127.0x1",
    "127.65535",
    "127.0.0x1",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "127%2E1",
    "\u{ff11}\u{ff12}\u{ff17}.0.0.1",
    "\u{2460}\u{2461}\u{2466}.\u{24ea}.\u{24ea}.\u{2460}",
    "127\u{3002}0\u{3002}0\u{3002}1",
    "127\u{ff0e}0\u{ff0e}0\u{ff61}1",
    "\u{1d7cf}\u{1d7d0}\u{1d7d5}.0.0.1",
    "127.0.0.1\u{ad}",
    "1\u{200b}27.0.0.1",
    "0",
    "0.0.0.0",
    "0x0",
    "00",
    "0.0",
];

const LOCALHOST: &[&str] = &[
    "localhost",
    "LOCALHOST",
    "localhost.",
    "LocalHost.",
    "foo.localhost",
    "a.b.localhost.",
    "127.0.0.1.localhost",
    "\u{24db}\u{24de}\u{24d2}\u{24d0}\u{24db}\u{24d7}\u{24de}\u{24e2}\u{24e3}",
    "\u{ff4c}\u{ff4f}\u{ff43}\u{ff41}\u{ff4c}\u{ff48}\u{ff4f}\u{ff53}\u{ff54}",
    "local\u{ad}host",
    "%6c%6f%63alhost",
];

/// Private, reserved, metadata and multicast IPv4, to the edges of the ranges.
const RESERVED_V4: &[&str] = &[
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "167772161",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.254",
    "168.63.129.16",
    "0xa83f8110",
    "169.254.0.1",
    "169.254.169.254",
    "169.254.170.2",
    "169.16689662",
    "2852039166",
    "0xa9fea9fe",
    "0xa9.0xfe.0xa9.0xfe",
    "0251.0376.0251.0376",
    "025177524776",
    "0xA9.254.0251.0xfe",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.257",
    "192.168.255.255",
    "0300.0250.0.1",
    "3232235521",
    "192.175.48.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "4294967295",
];

const RESERVED_V6: &[&str] = &[
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000::0001]",
    "[::]",
    "[::127.0.0.1]",
    "[::7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::FFFF:7F00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[::ffff:10.0.0.1]",
    "[::ffff:0.0.0.0]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::1]",
    "[64:ff9b:1:7f00:0:100::]",
    "[100::1]",
    "[100:0:0:1::1]",
    "[2001::1]",
    "[2001:0:7f00:1::]",
    "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
    "[2001:2::1]",
    "[2001:10::1]",
    "[2001:20::1]",
    "[2001:db8::1]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2620:4f:8000::1]",
    "[3fff::1]",
    "[5f00::1]",
    "[fc00::1]",
    "[fd00::2]",
    "[fd00:ec2::254]",
    "[fd20:ce::254]",
    "[fe80::1]",
    "[fe80::fc:ff:fe00:1]",
    "[fec0::1]",
    "[ff02::1]",
    "[ff0e::1]",
];

/// Hosts that no parser of ours may take for anything.
const UNPARSABLE: &[&str] = &[
    "[fe80::1%25eth0]",
    "[fe80::1%eth0]",
    "[::1%25lo]",
    "[::1",
    "[::127.0.0.1.]",
    "[127.0.0.1]",
    "[::ffff:127.1]",
    "127.0.0.256",
    "4294967296",
    "127.0.0.1.1",
    "0x7f.0.0.0.1",
    "127.0.0.09",
    "foo.127.0.0.0x1",
    "127..1",
];

/// Shapes of a whole URL that have fooled some parser into another host.
const TRICKS: &[(&str, Outcome)] = &[
    ("http://site.test@127.0.0.1:{port}/", BAD),
    ("http://site.test:80@127.0.0.1:{port}/", BAD),
    ("http://user:password@127.0.0.1:{port}/", BAD),
    ("http://site.test%40127.0.0.1:{port}/", BAD),
    ("http://@127.0.0.1:{port}/", PRIVATE),
    ("http://:@127.0.0.1:{port}/", PRIVATE),
    ("http://127.0.0.1:{port}#@site.test/", PRIVATE),
    ("http://127.0.0.1:{port}?@site.test/", PRIVATE),
    ("http://127.0.0.1:{port}\\@site.test/", PRIVATE),
    ("http://127.0.0.1:{port}/@site.test/", PRIVATE),
    ("http:\\\\127.0.0.1:{port}\\", PRIVATE),
    ("http:/\\127.0.0.1:{port}/", PRIVATE),
    ("http:127.0.0.1:{port}/", PRIVATE),
    ("http:///127.0.0.1:{port}/", PRIVATE),
    ("http:////127.0.0.1:{port}/", PRIVATE),
    ("HTTP://127.0.0.1:{port}/", PRIVATE),
    (" http://127.0.0.1:{port}/ ", PRIVATE),
    ("\u{1}http://127.0.0.1:{port}/", PRIVATE),
    ("ht\ntp://127.0.0.1:{port}/", PRIVATE),
    ("http://127.0\t.0.1:{port}/", PRIVATE),
    ("http://127.0.0\r\n.1:{port}/", PRIVATE),
    ("http://127.0.0.1:0{port}/", PRIVATE),
    ("http://127.0.0.1 :{port}/", BAD),
    ("http://127.0.0.1%00site.test:{port}/", BAD),
    ("http://127.0.0.1%20:{port}/", BAD),
    ("http://127.0.0.1:{port}:80/", BAD),
    ("http://[::1]:{port}@127.0.0.1:{port}/", BAD),
    ("http://site.test:65536/", BAD),
    ("http://site.test:-80/", BAD),
    ("http://", BAD),
    ("//127.0.0.1:{port}/", BAD),
    ("127.0.0.1:{port}", BAD),
    ("http://site.test#@127.0.0.1:{port}/", Outcome::Harmless),
    ("http://site.test?@127.0.0.1:{port}/", Outcome::Harmless),
    ("http://site.test\\@127.0.0.1:{port}/", Outcome::Harmless),
    ("http://site.test/@127.0.0.1:{port}/", Outcome::Harmless),
    ("http://site.test/http://127.0.0.1:{port}/", Outcome::Harmless),
    ("http://site.test/..//127.0.0.1:{port}/", Outcome::Harmless),
    ("http://SITE.test.:80/?url=http://127.0.0.1:{port}/", Outcome::Harmless),
];

const SCHEMES: &[&str] = &[
    "file:///etc/passwd",
    "file://127.0.0.1/etc/passwd",
    "ftp://127.0.0.1:{port}/",
    "gopher://127.0.0.1:{port}/_GET",
    "dict://127.0.0.1:{port}/",
    "ldap://127.0.0.1:{port}/",
    "tftp://127.0.0.1:{port}/",
    "ws://127.0.0.1:{port}/",
    "wss://127.0.0.1:{port}/",
    "data:text/html,inside",
    "javascript:fetch('http://127.0.0.1:{port}/')",
    "blob:http://127.0.0.1:{port}/1",
    "about:blank",
    "chrome://version",
    "view-source:http://127.0.0.1:{port}/",
    "jar:http://127.0.0.1:{port}/!/",
    "unix:///var/run/docker.sock",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/info",
];

const PORTS: &[u16] =
    &[1, 7, 22, 23, 25, 53, 110, 143, 445, 587, 1023, 2049, 2375, 2379, 3306, 5432, 6000, 6379, 9200, 11211, 27017];

/// Where a redirect may try to lead.
const REDIRECT_TARGETS: &[(&str, Outcome)] = &[
    ("http://127.0.0.1:{port}/", PRIVATE),
    ("http://2130706433:{port}/", PRIVATE),
    ("http://[::1]:{port}/", PRIVATE),
    ("http://localhost:{port}/", PRIVATE),
    ("http://loopback.zone.test:{port}/", PRIVATE),
    ("//127.0.0.1:{port}/", PRIVATE),
];

const ODD_LOCATIONS: &[(&str, Outcome)] = &[
    ("\\\\127.0.0.1:{port}\\", PRIVATE),
    ("/\\127.0.0.1:{port}/", PRIVATE),
    ("///127.0.0.1:{port}/", Outcome::Refused(&["private_address", "blocked"])),
    ("/\t/127.0.0.1:{port}/", PRIVATE),
    ("https://127.0.0.1:{port}/", PRIVATE),
    ("http:\\\\127.0.0.1:{port}", PRIVATE),
    ("http://0x7f.1:{port}/", PRIVATE),
    ("http://169.254.169.254/latest/meta-data/", PRIVATE),
    ("http://[::ffff:127.0.0.1]:{port}/", PRIVATE),
    ("http://192.0.2.2:{port}/", PRIVATE),
    ("http://site.test@127.0.0.1:{port}/", NOWHERE),
    ("http://other.test:22/", NOWHERE),
    ("http://127.0.0.1:99999/", NOWHERE),
    ("http://[::1/", NOWHERE),
    ("file:///etc/passwd", NOWHERE),
    ("ftp://127.0.0.1:{port}/", NOWHERE),
    ("gopher://127.0.0.1:{port}/", NOWHERE),
    ("data:text/html,inside", NOWHERE),
    ("javascript:location='http://127.0.0.1:{port}/'", NOWHERE),
    ("blob:http://127.0.0.1:{port}/1", NOWHERE),
    ("ws://127.0.0.1:{port}/", NOWHERE),
    ("about:blank", NOWHERE),
    ("http://site.test/self", NOWHERE),
    ("/self", NOWHERE),
];

/// Whole answers of the open site that point inside without a redirect.
const ANSWERS: &[(&str, Outcome)] = &[
    ("200 OK\r\nRefresh: 0; url=http://127.0.0.1:{port}/", Outcome::Harmless),
    ("200 OK\r\nLocation: http://127.0.0.1:{port}/", Outcome::Harmless),
    ("201 Created\r\nLocation: http://127.0.0.1:{port}/", Outcome::Harmless),
    ("200 OK\r\nContent-Location: http://127.0.0.1:{port}/", Outcome::Harmless),
    ("200 OK\r\nAlt-Svc: h2=\"127.0.0.1:{port}\"; ma=86400, h3=\":{port}\"", Outcome::Harmless),
    ("200 OK\r\nLink: <http://127.0.0.1:{port}/>; rel=preload", Outcome::Harmless),
    ("300 Multiple Choices\r\nLocation: http://127.0.0.1:{port}/", Outcome::Harmless),
    ("304 Not Modified\r\nLocation: http://127.0.0.1:{port}/", Outcome::Harmless),
    ("305 Use Proxy\r\nLocation: http://127.0.0.1:{port}/", Outcome::Harmless),
    ("306 Unused\r\nLocation: http://127.0.0.1:{port}/", Outcome::Harmless),
    ("407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"127.0.0.1:{port}\"", Outcome::LikeAProxy),
    ("302 Found\r\nLocation: /ok\r\nX-Split: a\r\nLocation: http://127.0.0.1:{port}/", Outcome::Harmless),
    ("302 Found\r\nLocation: /ok%0d%0aLocation:%20http://127.0.0.1:{port}/", Outcome::Harmless),
    ("302 Found\r\nLocation: /ok\r\n Location: http://127.0.0.1:{port}/", Outcome::Refused(&["refused"])),
];

/// Next to what is denied, and public.
pub(super) const PUBLIC_HOSTS: &[&str] = &[
    "1.1.1.1",
    "8.8.8.8",
    "134744072",
    "0x08.8.0x8.010",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "168.63.129.15",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "[::ffff:8.8.8.8]",
    "[::ffff:808:808]",
    "[2001:200::1]",
    "[2001:4860:4860::8888]",
    "[2606:4700::1111]",
    "[2a00:1450:4001::1]",
];

/// Every case, with the canary's port filled in.
pub(super) fn all(port: u16) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut url = |text: &str, outcome| {
        cases.push(Case { attempt: Attempt::Url(text.replace("{port}", &port.to_string())), outcome });
    };
    for host in [LOOPBACK, LOCALHOST, RESERVED_V4, RESERVED_V6].concat() {
        url(&format!("http://{host}:{{port}}/"), PRIVATE);
    }
    UNPARSABLE.iter().for_each(|host| url(&format!("http://{host}:{{port}}/"), BAD));
    TRICKS.iter().for_each(|(text, outcome)| url(text, *outcome));
    SCHEMES.iter().for_each(|text| url(text, BAD));
    for closed in PORTS {
        url(&format!("http://site.test.example:{closed}/"), BAD);
        url(&format!("https://127.0.0.2:{closed}/"), BAD);
    }
    zone::PRIVATE_NAMES.iter().for_each(|name| url(&format!("http://{name}:{{port}}/"), PRIVATE));
    zone::ABSENT_NAMES.iter().for_each(|name| url(&format!("http://{name}:{{port}}/"), Outcome::Unresolved));
    cases.extend(answers(port));
    cases
}

fn answers(port: u16) -> Vec<Case> {
    let case = |head: String, outcome| {
        let head = head.replace("{port}", &port.to_string());
        let answer = format!("HTTP/1.1 {head}\r\nContent-Length: 4\r\nConnection: close\r\n\r\nsite");
        Case { attempt: Attempt::Answer(answer), outcome }
    };
    let mut cases = Vec::new();
    for status in [301, 302, 303, 307, 308] {
        for (target, outcome) in REDIRECT_TARGETS {
            cases.push(case(format!("{status} Moved\r\nLocation: {target}"), *outcome));
        }
    }
    for (target, outcome) in ODD_LOCATIONS {
        cases.push(case(format!("302 Found\r\nLocation: {target}"), *outcome));
    }
    cases.extend(ANSWERS.iter().map(|(head, outcome)| case((*head).to_owned(), *outcome)));
    cases
}
