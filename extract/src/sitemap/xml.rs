use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Decoder, Reader, XmlVersion};

use super::{Entry, Kind, MAX_ENTRIES, MAX_URL, Sitemap, SitemapError, is_url};

/// Alternates of one entry; a page in more languages does not exist.
const MAX_ALTERNATES: usize = 200;

/// Reads the XML of a sitemap or a feed. Entities other than the five of XML and
/// those of single characters are refused with the entry that has them: nothing
/// is ever expanded.
pub(super) fn read(text: &str) -> Result<Sitemap, SitemapError> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut found = Found::default();
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => found.open(&start, reader.decoder()),
            Ok(Event::Empty(start)) => found.open_and_close(&start, reader.decoder()),
            Ok(Event::End(end)) => found.close(end.local_name().as_ref()),
            Ok(Event::Text(text)) => found.text(&text),
            Ok(Event::CData(text)) => found.text(&text),
            Ok(Event::GeneralRef(reference)) => found.reference(&reference),
            Ok(Event::Eof) => break,
            Err(_) => {
                found.is_cut = true;
                break;
            }
            Ok(_) => {}
        }
        if found.entries.len() >= MAX_ENTRIES {
            found.is_cut = true;
            break;
        }
    }
    let kind = found.kind.ok_or(SitemapError::NotASitemap)?;
    Ok(Sitemap { kind, entries: found.entries, is_cut: found.is_cut })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Location,
    Changed,
}

#[derive(Debug, Default)]
struct Found {
    kind: Option<Kind>,
    entries: Vec<Entry>,
    is_cut: bool,
    /// The entry that is open, and the field of it whose text is being read.
    entry: Option<Entry>,
    field: Option<Field>,
    value: String,
    is_refused: bool,
    /// Elements open within the entry: what is nested deeper, e.g. the address
    /// of an image, is not its own.
    depth: usize,
}

impl Found {
    fn open(&mut self, start: &BytesStart, decoder: Decoder) {
        let name = start.local_name();
        let name = name.as_ref();
        self.kind = self.kind.or_else(|| kind(name));
        if self.entry.is_none() {
            if matches!(name, b"url" | b"sitemap" | b"item" | b"entry") {
                (self.entry, self.is_refused, self.depth) = (Some(Entry::default()), false, 0);
            }
            return;
        }
        self.depth += 1;
        if name == b"link" {
            self.link(start, decoder);
        }
        // The names with a prefix, e.g. `image:loc`, are other things.
        let is_own = self.depth == 1 && start.name().prefix().is_none();
        self.field = field(name, self.kind).filter(|_| is_own);
        self.value.clear();
    }

    fn open_and_close(&mut self, start: &BytesStart, decoder: Decoder) {
        if self.entry.is_some() {
            self.open(start, decoder);
            self.close(start.local_name().as_ref());
        } else {
            self.kind = self.kind.or_else(|| kind(start.local_name().as_ref()));
        }
    }

    /// Reads `<link href>`: of Atom the page itself, elsewhere other languages.
    fn link(&mut self, start: &BytesStart, decoder: Decoder) {
        let attribute = |name: &str| {
            let found = start.try_get_attribute(name).ok().flatten()?;
            found
                .decoded_and_normalized_value(XmlVersion::Implicit1_0, decoder)
                .ok()
                .map(|value| value.trim().to_owned())
        };
        let Some(address) = attribute("href").filter(|address| is_url(address)) else { return };
        let relation = attribute("rel");
        let is_alternate = relation.as_deref().is_none_or(|relation| relation == "alternate");
        let Some(entry) = self.entry.as_mut().filter(|_| is_alternate) else { return };
        if self.kind == Some(Kind::Feed) {
            if entry.loc.is_empty() {
                entry.loc = address;
            }
        } else if entry.alternates.len() < MAX_ALTERNATES {
            entry.alternates.push(address);
        }
    }

    fn text(&mut self, text: &[u8]) {
        if self.field.is_some() && self.value.len() <= MAX_URL {
            self.value.push_str(&String::from_utf8_lossy(text));
        }
    }

    fn reference(&mut self, reference: &BytesRef) {
        if self.field.is_none() {
            return;
        }
        let name = String::from_utf8_lossy(reference);
        match (reference.resolve_char_ref(), resolve_predefined_entity(&name)) {
            (Ok(Some(character)), _) => self.value.push(character),
            (_, Some(text)) => self.value.push_str(text),
            _ => self.is_refused = true,
        }
    }

    fn close(&mut self, name: &[u8]) {
        let Some(entry) = &mut self.entry else { return };
        if self.depth == 0 {
            if matches!(name, b"url" | b"sitemap" | b"item" | b"entry") {
                self.finish();
            }
            return;
        }
        self.depth -= 1;
        let value = self.value.trim();
        match self.field.take() {
            Some(Field::Location) if entry.loc.is_empty() && is_url(value) => entry.loc = value.to_owned(),
            Some(Field::Changed) if entry.lastmod.is_none() && !value.is_empty() => {
                entry.lastmod = Some(value.to_owned())
            }
            _ => {}
        }
    }

    fn finish(&mut self) {
        if let Some(entry) = self.entry.take()
            && !entry.loc.is_empty()
            && !self.is_refused
        {
            self.entries.push(entry);
        }
    }
}

fn kind(root: &[u8]) -> Option<Kind> {
    match root {
        b"urlset" => Some(Kind::Pages),
        b"sitemapindex" => Some(Kind::Index),
        b"rss" | b"RDF" | b"feed" => Some(Kind::Feed),
        _ => None,
    }
}

fn field(name: &[u8], kind: Option<Kind>) -> Option<Field> {
    match (name, kind?) {
        (b"loc", Kind::Pages | Kind::Index) | (b"link", Kind::Feed) => Some(Field::Location),
        (b"lastmod", Kind::Pages | Kind::Index) | (b"pubDate" | b"updated", Kind::Feed) => Some(Field::Changed),
        _ => None,
    }
}
