//! A block as numbers: what it says, where it stands, what is around it. The
//! order is that of the model, which is learned again when it changes.

use std::collections::HashMap;

use crate::dom::{Dom, NodeId, Tag};

use super::blocks::Block;
use super::lexicon::GROUPS;
use super::outline::{Outline, Sums, count, float, is_prose, share};
use super::vocabulary::{self, KINDS};

/// Distances up to a marked ancestor are counted up to this.
const FAR: u8 = 24;

/// Ancestors described: each holds more words than the one before.
const RINGS: usize = 5;

/// What is the same for all blocks of a page.
struct Page {
    all: Sums,
    /// By block: blocks with the same letters.
    copies: Vec<u32>,
    /// By block: how many of them are before it.
    earlier: Vec<u32>,
    /// Letters and digits of the title.
    title: String,
    /// By block: the group of those made alike.
    pub(super) groups: Vec<Group>,
    first_heading: usize,
    /// The smallest elements with most of the prose.
    centres: [NodeId; 2],
}

/// Blocks in like places: in like elements within like elements.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Group {
    pub(super) id: usize,
    blocks: u32,
    words: u32,
    links: u32,
}

/// Describes the blocks of a page one by one.
pub(super) struct Describer<'a> {
    outline: &'a Outline<'a>,
    page: Page,
    /// Put behind each block's numbers.
    last: &'a [f32],
    heading: Heading,
}

/// The heading above a block.
#[derive(Debug, Clone, Copy, Default)]
struct Heading {
    level: u32,
    blocks_since: u32,
    said: [u16; GROUPS],
}

impl<'a> Describer<'a> {
    pub(super) fn new(outline: &'a Outline<'a>, last: &'a [f32]) -> Self {
        Self { outline, page: Page::of(outline), last, heading: Heading::default() }
    }

    pub(super) fn groups(&self) -> &[Group] {
        &self.page.groups
    }

    /// Appends the numbers of a block; asked for in order.
    pub(super) fn describe(&mut self, at: usize, numbers: &mut Vec<f32>) {
        let mut row = Row { outline: self.outline, page: &self.page, at, numbers };
        row.own();
        row.place(self.heading);
        row.marks();
        row.rings();
        row.repetition();
        row.neighbours();
        row.numbers.extend_from_slice(self.last);
        self.pass(at);
    }

    /// Goes on to the next block without a description.
    pub(super) fn pass(&mut self, at: usize) {
        let block = &self.outline.blocks.list[at];
        let level = heading(self.outline, block);
        self.heading.blocks_since += 1;
        if level > 0 {
            self.heading = Heading { level, blocks_since: 0, said: block.stats.said };
        }
    }
}

impl Page {
    fn of(outline: &Outline) -> Self {
        let list = &outline.blocks.list;
        let first_heading = list.iter().position(|block| within(outline, block, Tag::H1)).unwrap_or(0);
        Self {
            all: outline.sums(0..list.len()),
            copies: copies(list),
            earlier: earlier(list),
            title: letters(title(outline.dom)),
            groups: groups(outline),
            first_heading,
            centres: [centre(outline, 0.6), centre(outline, 0.9)],
        }
    }
}

fn copies(list: &[Block]) -> Vec<u32> {
    let mut times: HashMap<u64, u32> = HashMap::with_capacity(list.len());
    list.iter().for_each(|block| *times.entry(block.stats.hash).or_default() += 1);
    list.iter().map(|block| times[&block.stats.hash]).collect()
}

fn earlier(list: &[Block]) -> Vec<u32> {
    let mut times: HashMap<u64, u32> = HashMap::with_capacity(list.len());
    let so_far = |block: &Block| {
        let times = times.entry(block.stats.hash).or_default();
        *times += 1;
        *times - 1
    };
    list.iter().map(so_far).collect()
}

/// Returns the title that is meant for sharing, or that of the window.
fn title(dom: &Dom) -> &str {
    let shared =
        dom.elements(NodeId::DOCUMENT, Tag::Meta).find(|id| dom.attribute(*id, "property") == Some("og:title"));
    let window = || dom.descendants(dom.first(Tag::Title)?).find_map(|id| dom.text(id));
    shared.and_then(|id| dom.attribute(id, "content")).or_else(window).unwrap_or_default()
}

fn letters(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn groups(outline: &Outline) -> Vec<Group> {
    let mut ids: HashMap<u64, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    let mut of_block = Vec::with_capacity(outline.blocks.list.len());
    for block in &outline.blocks.list {
        let id = *ids.entry(likeness(outline, block)).or_insert(groups.len());
        if id == groups.len() {
            groups.push(Group { id, ..Group::default() });
        }
        groups[id].blocks += 1;
        groups[id].words += block.stats.words;
        groups[id].links += block.stats.link_words;
        of_block.push(id);
    }
    of_block.into_iter().map(|id| groups[id]).collect()
}

fn likeness(outline: &Outline, block: &Block) -> u64 {
    let around = std::iter::once(block.inner).chain(outline.dom.ancestors(block.inner)).take(4);
    around.fold(0, |hash: u64, id| hash.rotate_left(9) ^ vocabulary::likeness(outline.dom, id))
}

/// Returns the smallest element that holds a part of the page's prose.
fn centre(outline: &Outline, part: f32) -> NodeId {
    let prose = |id| outline.sums(outline.range(id)).prose;
    let mut inmost = outline.dom.body();
    let wanted = float(prose(inmost)) * part;
    // Down the path of the largest child: at most as long as the tree is deep.
    loop {
        let children = outline.dom.children(inmost).filter(|id| outline.blocks.holds_edge(*id));
        match children.map(|id| (prose(id), id)).max_by_key(|(words, _)| *words) {
            Some((words, child)) if words > 0 && float(words) >= wanted => inmost = child,
            _ => return inmost,
        }
    }
}

fn within(outline: &Outline, block: &Block, tag: Tag) -> bool {
    let dom = outline.dom;
    dom.is(block.inner, tag) || dom.ancestors(block.inner).take(3).any(|id| dom.is(id, tag))
}

/// Returns 1 to 6 in a heading, 0 elsewhere.
fn heading(outline: &Outline, block: &Block) -> u32 {
    let dom = outline.dom;
    let around = std::iter::once(block.inner).chain(dom.ancestors(block.inner)).take(4);
    around.filter_map(|id| dom.tag(id)?.heading_level()).next().map_or(0, count)
}

/// Returns a number of the sort of element, alike ones near each other.
fn sort_of(tag: Option<Tag>) -> f32 {
    let Some(tag) = tag else { return 0.0 };
    match tag {
        Tag::P => 1.0,
        Tag::Blockquote => 2.0,
        Tag::Pre | Tag::Code => 3.0,
        Tag::Article | Tag::Section | Tag::Main => 4.0,
        Tag::Dd | Tag::Dt => 5.0,
        Tag::Td | Tag::Th => 6.0,
        Tag::Tr => 7.0,
        Tag::Figcaption | Tag::Caption => 8.0,
        Tag::H1 => 9.0,
        Tag::H2 => 10.0,
        Tag::H3 => 11.0,
        Tag::H4 | Tag::H5 | Tag::H6 => 12.0,
        Tag::Li => 13.0,
        Tag::Div | Tag::Body | Tag::Center => 14.0,
        Tag::Span | Tag::Font => 15.0,
        Tag::Strong | Tag::B | Tag::Em | Tag::I => 16.0,
        Tag::Time | Tag::Small | Tag::Address => 17.0,
        Tag::A => 18.0,
        Tag::Label | Tag::Legend | Tag::Summary => 19.0,
        Tag::Button => 20.0,
        _ => 21.0,
    }
}

struct Row<'a> {
    outline: &'a Outline<'a>,
    page: &'a Page,
    at: usize,
    numbers: &'a mut Vec<f32>,
}

impl Row<'_> {
    fn block(&self) -> &Block {
        &self.outline.blocks.list[self.at]
    }

    /// What the block itself says.
    fn own(&mut self) {
        let (block, copies, group) = (self.block().clone(), self.page.copies[self.at], self.page.groups[self.at]);
        let stats = &block.stats;
        let dom = self.outline.dom;
        self.numbers.extend([
            float(stats.words),
            share(stats.chars, stats.words.max(1)),
            share(stats.link_words, stats.words),
            float(stats.links),
            share(stats.digits, stats.chars),
            share(stats.capitals, stats.words),
            share(stats.commas, stats.words.max(1)),
            share(stats.stops, stats.words.max(1)),
            share(stats.symbols, stats.words.max(1)),
            float(stats.prices),
            share(stats.joints, stats.words),
            float(stats.breaks),
            f32::from(u8::from(stats.copyright)),
            f32::from(u8::from(matches!(stats.last, '.' | '!' | '?' | '。' | '"' | '”' | '…'))),
            f32::from(u8::from(stats.last == ':')),
            f32::from(u8::from(stats.first.is_lowercase())),
            sort_of(dom.tag(block.container)),
            sort_of(dom.tag(block.inner)),
            float(count(dom.depth(block.container))),
            float(copies),
            float(group.blocks),
            share(group.words, group.blocks),
            share(group.links, group.words),
        ]);
        self.numbers.extend(stats.said.map(|words| share(u32::from(words), stats.words)));
    }

    /// Where in the page the block stands.
    fn place(&mut self, above: Heading) {
        let (outline, page, at) = (self.outline, self.page, self.at);
        let before = outline.words(0..at);
        let list = outline.blocks.list.len();
        let heading_at = page.first_heading.min(at);
        let inner = self.block().inner;
        let away = |centre: NodeId| {
            let up = std::iter::once(centre).chain(outline.dom.ancestors(centre));
            float(count(up.take_while(|id| !outline.dom.contains(*id, inner)).count()))
        };
        self.numbers.extend([
            share(count(at), count(list)),
            share(before, page.all.text.words),
            float(before),
            float(page.all.text.words - before),
            float(outline.words(heading_at..at)),
            f32::from(u8::from(at < page.first_heading)),
            float(above.level),
            float(above.blocks_since),
            away(page.centres[0]),
            away(page.centres[1]),
            float(page.earlier[at]),
            f32::from(u8::from(self.is_title())),
        ]);
        self.numbers.extend(above.said.map(f32::from));
    }

    /// Whether the block is a heading with the page's title, or a part of it.
    fn is_title(&self) -> bool {
        let (outline, block) = (self.outline, self.block());
        if block.stats.words > 40 || heading(outline, block) == 0 {
            return false;
        }
        let texts = outline.dom.subtree(block.inner).filter_map(|id| outline.dom.text(id));
        let own: String = texts.map(letters).collect();
        own.len() > 8 && (self.page.title.contains(&own) || own.contains(&self.page.title) && self.page.title.len() > 8)
    }

    /// How far up the nearest ancestor of each kind is.
    fn marks(&mut self) {
        let outline = self.outline;
        let mut distances = [FAR; KINDS];
        let (mut seen, mut distance) = (0, 0);
        let inner = self.block().inner;
        for id in std::iter::once(inner).chain(outline.dom.ancestors(inner)) {
            let mut new = outline.marks(id) & !seen;
            seen |= new;
            while new != 0 {
                distances[new.trailing_zeros() as usize] = distance;
                new &= new - 1;
            }
            if distance < FAR - 1 {
                distance += 1;
            }
        }
        self.numbers.extend(distances.map(f32::from));
    }

    /// The ancestors that hold more than what is within them.
    fn rings(&mut self) {
        let (outline, at) = (self.outline, self.at);
        let mut inmost = self.block().inner;
        let (mut words, mut found) = (self.block().stats.words, 0);
        for (up, id) in outline.dom.ancestors(inmost).enumerate() {
            let range = outline.range(id);
            let held = outline.words(range.clone());
            if held <= words || found == RINGS {
                inmost = id;
                continue;
            }
            (words, found) = (held, found + 1);
            let sums = outline.sums(range.clone());
            self.numbers.extend([
                float(held),
                sums.link_share(),
                float(sums.blocks),
                share(sums.text.joints, held),
                share(sums.text.capitals, held),
                share(sums.prose, held),
                share(sums.text.stops, held),
                float(outline.alike(inmost)),
                share(outline.words(range.start..at), held),
                float(count(up)),
            ]);
            inmost = id;
        }
        let missing = (RINGS - found) * 10;
        self.numbers.extend(std::iter::repeat_n(-1.0, missing));
    }

    /// The innermost and the outermost ancestor that is one of three alike or more.
    fn repetition(&mut self) {
        let outline = self.outline;
        let inner = self.block().inner;
        let around = || std::iter::once(inner).chain(outline.dom.ancestors(inner)).enumerate();
        let repeated = |(_, id): &(usize, NodeId)| outline.alike(*id) >= 3;
        let ends = [around().find(repeated), around().filter(repeated).last()];
        for found in ends {
            let Some((up, id)) = found else {
                self.numbers.extend([-1.0; 6]);
                continue;
            };
            let sums = outline.sums(outline.range(id));
            let parent = outline.dom.parent(id).unwrap_or(NodeId::DOCUMENT);
            let siblings = outline.sums(outline.range(parent));
            self.numbers.extend([
                float(outline.alike(id)),
                float(count(up)),
                float(sums.text.words),
                sums.link_share(),
                share(sums.prose, sums.text.words),
                share(siblings.text.words, outline.alike(id)),
            ]);
        }
    }

    /// The blocks before and behind.
    fn neighbours(&mut self) {
        let list = &self.outline.blocks.list;
        let own = self.block().container;
        for step in [-3isize, -2, -1, 1, 2, 3] {
            let Some(other) = self.at.checked_add_signed(step).and_then(|at| list.get(at)) else {
                self.numbers.extend([-1.0; 6]);
                continue;
            };
            let stats = &other.stats;
            let apart = self.outline.dom.ancestors(own).position(|id| self.outline.dom.contains(id, other.container));
            self.numbers.extend([
                float(stats.words),
                share(stats.link_words, stats.words),
                share(stats.joints, stats.words),
                f32::from(u8::from(is_prose(other))),
                sort_of(self.outline.dom.tag(other.container)),
                float(apart.map_or(0, count)),
            ]);
        }
    }
}
