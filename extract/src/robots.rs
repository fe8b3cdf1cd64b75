//! robots.txt (RFC 9309), read as leniently as the large search engines read it.

use std::time::Duration;

use url::Url;

/// Bytes of a file that count (RFC 9309, 2.5), of one line, and rules of one
/// file: more is made to cost time.
const MAX_BYTES: usize = 512 << 10;
const MAX_LINE_BYTES: usize = 16 << 10;
const MAX_RULES: usize = 10_000;

/// What a site allows one robot.
#[derive(Debug, Clone, Default)]
pub struct Robots {
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

#[derive(Debug, Clone)]
struct Rule {
    allows: bool,
    /// Percent-encoded as URLs are.
    pattern: String,
}

/// A group of rules: for us, for everybody, or for others.
#[derive(Debug, Default)]
struct Groups {
    own: Group,
    all: Group,
    has_own: bool,
}

#[derive(Debug, Default)]
struct Group {
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

/// A line that says something.
enum Line<'a> {
    UserAgent(&'a str),
    Rule { allows: bool, path: &'a str },
    CrawlDelay(&'a str),
    Sitemap(&'a str),
}

impl Robots {
    /// Reads the rules for the robot with this product token, e.g. `BlazonBot`:
    /// those of all groups that name it, or else of those for `*`.
    pub fn parse(bytes: &[u8], agent: &str) -> Self {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_BYTES)]);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let (mut groups, mut sitemaps) = (Groups::default(), Vec::new());
        // Whom the group under way is for, and whether its rules have begun.
        let (mut for_own, mut for_all, mut has_begun) = (false, false, false);
        for line in text.split(['\n', '\r']).filter_map(Line::read) {
            match line {
                Line::Sitemap(url) => sitemaps.push(url.to_owned()),
                Line::UserAgent(name) => {
                    if has_begun {
                        (for_own, for_all, has_begun) = (false, false, false);
                    }
                    for_all |= is_everybody(name);
                    for_own |= product_token(name).eq_ignore_ascii_case(product_token(agent)) && !agent.is_empty();
                    groups.has_own |= for_own;
                }
                Line::Rule { allows, path } => {
                    has_begun = true;
                    groups.add(for_own, for_all, |group| group.rule(allows, path));
                }
                Line::CrawlDelay(seconds) => {
                    has_begun = true;
                    groups.add(for_own, for_all, |group| group.crawl_delay = delay(seconds).or(group.crawl_delay));
                }
            }
        }
        let Group { rules, crawl_delay } = if groups.has_own { groups.own } else { groups.all };
        Self { rules, crawl_delay, sitemaps }
    }

    /// Whether a URL may be fetched. The longest pattern that matches decides;
    /// of two as long the one that allows.
    pub fn allows(&self, url: &Url) -> bool {
        let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        self.allows_path(&path)
    }

    /// As [`Robots::allows`], for a path with its query, percent-encoded.
    pub fn allows_path(&self, path: &str) -> bool {
        let path = if path.is_empty() { "/" } else { path };
        let longest = |allows| {
            let rules = self.rules.iter().filter(|rule| rule.allows == allows && rule.matches(path));
            rules.map(|rule| rule.pattern.len()).max()
        };
        longest(false).is_none_or(|disallowed| longest(true).is_some_and(|allowed| allowed >= disallowed))
    }

    /// The pause between two requests that the site asks for.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The sitemaps named, as they are written.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

impl Groups {
    fn add(&mut self, for_own: bool, for_all: bool, change: impl Fn(&mut Group)) {
        if for_own {
            change(&mut self.own);
        }
        if for_all {
            change(&mut self.all);
        }
    }
}

impl Group {
    fn rule(&mut self, allows: bool, path: &str) {
        if path.is_empty() || self.rules.len() >= MAX_RULES {
            return;
        }
        let pattern = encoded(path);
        // Who allows a folder's index page means the folder by its short name too.
        if allows
            && let Some(folder) = pattern.strip_suffix("index.html").or(pattern.strip_suffix("index.htm"))
            && folder.ends_with('/')
        {
            self.rules.push(Rule { allows, pattern: format!("{folder}$") });
        }
        self.rules.push(Rule { allows, pattern });
    }
}

impl Rule {
    /// `*` stands for anything, a `$` at the end for the end. Each piece between
    /// stars is looked for once, behind the one before: the first place is as
    /// good as any later one, so nothing is ever tried twice.
    fn matches(&self, path: &str) -> bool {
        let (pattern, is_anchored) = match self.pattern.strip_suffix('$') {
            Some(pattern) => (pattern, true),
            None => (self.pattern.as_str(), false),
        };
        let mut pieces = pattern.split('*');
        let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
        let mut pieces = pieces.peekable();
        if pieces.peek().is_none() {
            return !is_anchored || rest.is_empty();
        }
        while let Some(piece) = pieces.next() {
            if is_anchored && pieces.peek().is_none() {
                return rest.ends_with(piece);
            }
            match rest.find(piece) {
                Some(at) => rest = &rest[at + piece.len()..],
                None => return false,
            }
        }
        true
    }
}

impl<'a> Line<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let end = (0..=MAX_LINE_BYTES.min(line.len())).rev().find(|end| line.is_char_boundary(*end))?;
        let line = line[..end].split('#').next().unwrap_or_default().trim();
        // A missing colon is forgiven where there are two words and no more.
        let (key, value) = line.split_once(':').or_else(|| {
            let (key, value) = line.split_once(char::is_whitespace)?;
            (!value.trim().contains(char::is_whitespace)).then_some((key, value))
        })?;
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        match key.as_str() {
            "user-agent" | "useragent" | "user agent" => Some(Self::UserAgent(value)),
            "allow" => Some(Self::Rule { allows: true, path: value }),
            // The misspellings that are common enough to be meant.
            "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => {
                Some(Self::Rule { allows: false, path: value })
            }
            "crawl-delay" | "crawldelay" => Some(Self::CrawlDelay(value)),
            "sitemap" | "site-map" if !value.is_empty() => Some(Self::Sitemap(value)),
            _ => None,
        }
    }
}

/// The part of a user agent's name that is compared: `BlazonBot` of
/// `BlazonBot/1.0 (+https://…)`.
fn product_token(name: &str) -> &str {
    let end = name.find(|part: char| !(part.is_ascii_alphabetic() || part == '_' || part == '-'));
    &name[..end.unwrap_or(name.len())]
}

fn is_everybody(name: &str) -> bool {
    name.strip_prefix('*').is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

fn delay(seconds: &str) -> Option<Duration> {
    seconds.parse().ok().and_then(|seconds: f64| Duration::try_from_secs_f64(seconds).ok())
}

/// A pattern as URLs are written: other than ASCII percent-encoded, hexadecimal
/// digits in upper case.
fn encoded(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    let bytes = path.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let is_hex = |behind| bytes.get(at - behind) == Some(&b'%') && byte.is_ascii_hexdigit();
        if !byte.is_ascii() {
            pattern.push_str(&format!("%{byte:02X}"));
        } else if at >= 1 && is_hex(1) || at >= 2 && is_hex(2) && bytes[at - 1].is_ascii_hexdigit() {
            pattern.push(byte.to_ascii_uppercase().into());
        } else {
            pattern.push((*byte).into());
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(robots: &str, path: &str) -> bool {
        Robots::parse(robots.as_bytes(), "BlazonBot").allows_path(path)
    }

    #[test]
    fn our_own_group_comes_before_that_for_all() {
        let robots = "User-agent: *\nDisallow: /\n\nUser-agent: Other\nUser-agent: blazonbot/2 (x)\nDisallow: /no\n";
        assert!(allowed(robots, "/yes") && !allowed(robots, "/no/x"));
        assert!(!allowed("User-agent: *\nDisallow: /", "/"));
        assert!(allowed("User-agent: BlazonBotX\nDisallow: /", "/"));
        assert!(allowed("Disallow: /", "/"), "rules without a group are nobody's");
        assert!(!allowed("User-agent: BlazonBot\nSitemap: http://x/\nUser-agent: b\nDisallow: /x\n", "/x"));
    }

    #[test]
    fn the_longest_pattern_decides() {
        let robots = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.gif$\nAllow: /index.html\n";
        for (path, expected) in
            [("/a", false), ("/a/b/c", true), ("/x.gif", false), ("/x.gif?y", true), ("/A", true), ("/", true)]
        {
            assert_eq!(allowed(robots, path), expected, "{path}");
        }
        assert!(allowed("User-agent: *\nAllow: /p\nDisallow: /p", "/p"), "as long: allowed");
        assert!(allowed("User-agent: *\nDisallow: /\nAllow: /d/index.html", "/d/"));
        assert!(!allowed("User-agent: *\nDisallow: /f*o$", "/fxo/o"));
        assert!(!allowed("User-agent: *\nDisallow: /caf\u{e9}/%c3", "/caf%C3%A9/%C3"));
    }

    #[test]
    fn sloppy_files_are_read() {
        let robots =
            "\u{feff}user-agent *\r\ndissallow /x # not this\rCrawl-Delay: 2.5\nSITEMAP:  /map.xml\nfoo: bar\n";
        let robots = Robots::parse(robots.as_bytes(), "BlazonBot");
        assert!(!robots.allows_path("/x"));
        assert_eq!(robots.crawl_delay(), Some(Duration::from_millis(2_500)));
        assert_eq!(robots.sitemaps(), ["/map.xml"]);
        assert_eq!(Robots::parse(b"User-agent: *\nCrawl-delay: -1\n", "x").crawl_delay(), None);
    }

    #[test]
    fn hostile_patterns_are_read_once() {
        let pattern = "*a".repeat(8_000);
        let robots = Robots::parse(format!("User-agent: *\nDisallow: {pattern}b$\n").as_bytes(), "BlazonBot");
        assert!(robots.allows_path(&format!("/{}", "a".repeat(4_000))));
        let many = "User-agent: *\n".to_owned() + &"Disallow: /*x*y*z\n".repeat(100_000);
        assert!(Robots::parse(many.as_bytes(), "BlazonBot").rules.len() <= MAX_RULES);
    }
}
