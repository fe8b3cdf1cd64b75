//! robots.txt by RFC 9309, with the leniency that Google's parser has made
//! common: missing colons, misspelt keys, groups that several lines share.

use url::Url;

use crate::octets;

mod lines;
mod pattern;

use lines::{Key, Line};
use pattern::Pattern;

/// Bytes of a file that are read; RFC 9309 section 2.5 asks for at least this.
const MAX_FILE: usize = 500 * 1024;

/// Rules that apply to one agent; files that people write have fewer than 5,000.
const MAX_RULES: usize = 10_000;

/// Sitemaps that a file may name.
const MAX_SITEMAPS: usize = 1_000;

/// What a robots.txt asks of one agent.
#[derive(Debug, Clone, Default)]
pub struct Robots {
    rules: Vec<Rule>,
    crawl_delay: Option<f64>,
    sitemaps: Vec<String>,
}

#[derive(Debug, Clone)]
struct Rule {
    allows: bool,
    pattern: Pattern,
}

/// The lines that one kind of group holds.
#[derive(Debug, Default)]
struct Group {
    is_there: bool,
    rules: Vec<Rule>,
    crawl_delay: Option<f64>,
}

impl Robots {
    /// Reads what a file asks of the agent with this product token, e.g.
    /// `ExampleBot`; of all agents where the file does not name it. Any bytes are
    /// a file; what is no line of one is passed over.
    pub fn parse(file: &[u8], agent: &str) -> Self {
        let mut reader = Reader { agent, ..Reader::default() };
        for line in lines::of(&file[..file.len().min(MAX_FILE)]) {
            reader.read(line);
        }
        let group = if reader.own.is_there { reader.own } else { reader.general };
        Self { rules: group.rules, crawl_delay: group.crawl_delay, sitemaps: reader.sitemaps }
    }

    /// Whether the agent may fetch a URL: the longest rule that matches decides,
    /// of equal ones that which allows.
    pub fn allows(&self, url: &Url) -> bool {
        self.allows_target(&url[url::Position::BeforePath..url::Position::AfterQuery])
    }

    /// Whether the agent may fetch a path with its query.
    pub fn allows_target(&self, target: &str) -> bool {
        let target = octets::normalised(target);
        let matching = self.rules.iter().filter(|rule| rule.pattern.matches(&target));
        matching.max_by_key(|rule| (rule.pattern.weight(), rule.allows)).is_none_or(|rule| rule.allows)
    }

    /// Returns the seconds to leave between two requests, as asked for.
    pub fn crawl_delay(&self) -> Option<f64> {
        self.crawl_delay
    }

    /// Returns the sitemaps the file names, as it writes them.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

#[derive(Default)]
struct Reader<'a> {
    agent: &'a str,
    own: Group,
    general: Group,
    sitemaps: Vec<String>,
    /// Whether the group being read is for the agent, for all, or both.
    is_own: bool,
    is_general: bool,
    has_rules: bool,
}

impl Reader<'_> {
    fn read(&mut self, line: Line) {
        match line.key {
            Key::UserAgent => self.begin_group(&line.value),
            Key::Allow => self.rule(true, &line.value),
            Key::Disallow => self.rule(false, &line.value),
            Key::CrawlDelay => self.delay(&line.value),
            Key::Sitemap if self.sitemaps.len() < MAX_SITEMAPS && !line.value.is_empty() => {
                self.sitemaps.push(line.value.into_owned());
            }
            Key::Sitemap => {}
        }
    }

    /// A line that names an agent goes with those before it up to a rule.
    fn begin_group(&mut self, value: &str) {
        if std::mem::take(&mut self.has_rules) {
            (self.is_own, self.is_general) = (false, false);
        }
        if value.strip_prefix('*').is_some_and(|rest| !rest.starts_with(|c: char| !c.is_whitespace())) {
            self.is_general = true;
            self.general.is_there = true;
            return;
        }
        let token = value.split(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '-' | '_'))).next();
        if token.is_some_and(|token| !token.is_empty() && token.eq_ignore_ascii_case(self.agent)) {
            self.is_own = true;
            self.own.is_there = true;
        }
    }

    fn rule(&mut self, allows: bool, value: &str) {
        self.has_rules = true;
        let groups = [(self.is_own, &mut self.own), (self.is_general, &mut self.general)];
        for (_, group) in groups.into_iter().filter(|(is_meant, group)| *is_meant && group.rules.len() < MAX_RULES) {
            if !value.is_empty() {
                group.rules.push(Rule { allows, pattern: Pattern::new(value) });
            }
            if let Some(folder) = index_folder(value).filter(|_| allows) {
                group.rules.push(Rule { allows, pattern: Pattern::new(&folder) });
            }
        }
    }

    fn delay(&mut self, value: &str) {
        let Some(delay) = value.parse::<f64>().ok().filter(|delay| delay.is_finite() && *delay >= 0.0) else { return };
        let groups = [(self.is_own, &mut self.own), (self.is_general, &mut self.general)];
        for (_, group) in groups.into_iter().filter(|(is_meant, _)| *is_meant) {
            group.crawl_delay.get_or_insert(delay);
        }
    }
}

/// Returns the rule for the folder whose index page a rule names, as Google has
/// it: `/folder/index.html` allows `/folder/` too.
fn index_folder(value: &str) -> Option<String> {
    let at = value.rfind('/')?;
    value[at + 1..].starts_with("index.htm").then(|| format!("{}$", &value[..=at]))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn allows(file: &str, target: &str) -> bool {
        Robots::parse(file.as_bytes(), "LampBot").allows_target(target)
    }

    #[test]
    fn the_longest_rule_decides_and_allowing_wins_a_tie() {
        let file = "user-agent: *\ndisallow: /shop\nallow: /shop/open\ndisallow: /x\nallow: /x";
        for (target, expected) in [("/", true), ("/shop/a", false), ("/shop/open/a", true), ("/x", true)] {
            assert_eq!(allows(file, target), expected, "{target}");
        }
        assert!(allows("", "/any") && allows("disallow: /", "/any"), "a rule without a group is nobody's");
        assert!(allows("user-agent: *\ndisallow:", "/any"), "an empty rule forbids nothing");
    }

    #[test]
    fn an_own_group_replaces_that_for_all() {
        let file = "User-Agent: *\nDisallow: /\n\nUser-agent: OtherBot\nUser-agent: lampbot/2.0 (x)\nCrawl-delay: 2.5\n\
                    Sitemap: https://site.test/map.xml\nDisallow: /private # secret\n\nuser-agent: LampBot\ndisallow: /more";
        let robots = Robots::parse(file.as_bytes(), "LampBot");
        assert!(robots.allows_target("/open"));
        assert!(!robots.allows_target("/private/x") && !robots.allows_target("/more"));
        assert_eq!(robots.crawl_delay(), Some(2.5));
        assert_eq!(robots.sitemaps(), ["https://site.test/map.xml"]);
        assert!(!Robots::parse(file.as_bytes(), "ThirdBot").allows_target("/open"));
    }

    #[test]
    fn wild_cards_and_ends() {
        let file = "user-agent: *\ndisallow: /*.pdf$\ndisallow: /a*b*c\ndisallow: *session=";
        for (target, expected) in [
            ("/x.pdf", false),
            ("/x.pdf?y", true),
            ("/x.pdf.pdf", false),
            ("/a-b-c-d", false),
            ("/acb", true),
            ("/p?session=1", false),
        ] {
            assert_eq!(allows(file, target), expected, "{target}");
        }
    }

    #[test]
    fn octets_are_compared_whatever_their_writing() {
        let file = "user-agent: *\ndisallow: /caf\u{e9}\ndisallow: /%7Eann\ndisallow: /a%2fb";
        for (target, expected) in
            [("/caf%C3%A9", false), ("/caf%c3%a9", false), ("/~ann", false), ("/a%2Fb", false), ("/a/b", true)]
        {
            assert_eq!(allows(file, target), expected, "{target}");
        }
    }

    #[test]
    fn urls_are_asked_without_host_and_fragment() {
        let robots = Robots::parse(b"user-agent: *\ndisallow: /*?x$", "LampBot");
        let allows = |url: &str| robots.allows(&Url::parse(url).expect("a URL"));
        assert!(!allows("https://site.test/a?x#fragment"));
        assert!(allows("https://site.test/a#fragment"));
    }

    #[test]
    fn careless_files_are_read() {
        for file in [
            "\u{feff}user-agent: *\r\ndisallow: /no",
            "user-agent *\ndisallow /no",
            " USERAGENT : * \r DISSALLOW : /no ",
            "user-agent: *\n# note\n\nunknown: x\n\ndisallow: /no",
            "user-agent: * \ndisallow: /no",
        ] {
            assert!(!allows(file, "/no"), "{file}");
        }
        let bytes = [&b"user-agent: *\ndisallow: /\xff\xfe\ndisallow: /no\n\0"[..], &[0xff; 100]].concat();
        assert!(!Robots::parse(&bytes, "LampBot").allows_target("/no"));
    }

    #[test]
    fn index_pages_open_their_folder() {
        let file = "user-agent: *\nallow: /shop/index.html\ndisallow: /shop";
        assert!(allows(file, "/shop/") && allows(file, "/shop/index.html") && !allows(file, "/shop/x"));
    }

    #[test]
    fn hostile_patterns_take_no_time() {
        let wild = format!("user-agent: *\ndisallow: /{}b\n", "*a".repeat(2_000));
        let many = format!("user-agent: *\n{}", "disallow: *a*a*a*a*b\n".repeat(20_000));
        let target = format!("/{}", "a".repeat(8_000));
        for file in [wild, many] {
            let robots = Robots::parse(file.as_bytes(), "LampBot");
            let start = Instant::now();
            assert!(robots.allows_target(&target));
            assert!(start.elapsed() < Duration::from_secs(5), "quadratic: {:?}", start.elapsed());
        }
    }
}
