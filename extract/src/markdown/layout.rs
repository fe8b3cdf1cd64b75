//! Blocks on lines: what stands before each line of a quotation or a list item,
//! and what between two blocks.

/// Bytes of quotation marks and indentation before a line beyond which what is
/// nested deeper gets no more of it, so that they cannot outgrow the page.
const MAX_PREFIX: usize = 48;

/// The mark of a list, by which CommonMark tells two adjacent ones apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Bullet(char),
    Ordinal(char),
}

impl Mark {
    fn other(self) -> Self {
        match self {
            Self::Bullet('-') => Self::Bullet('*'),
            Self::Bullet(_) => Self::Bullet('-'),
            Self::Ordinal('.') => Self::Ordinal(')'),
            Self::Ordinal(_) => Self::Ordinal('.'),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Paragraph,
    /// An item without content: the mark alone.
    Nothing,
    Other,
    List {
        mark: Mark,
        /// Whether it may stand on the line behind a paragraph.
        interrupts: bool,
    },
}

#[derive(Debug, Clone, Copy)]
enum Holder {
    Page,
    Quotation,
    List { mark: Mark, next: u32, is_tight: bool, interrupts: bool },
    Item { is_tight: bool },
}

#[derive(Debug)]
struct Container {
    holder: Holder,
    /// Where its part of the prefix ends.
    end: usize,
    /// The last block written in it.
    last: Option<Block>,
}

#[derive(Debug)]
pub(super) struct Layout {
    out: String,
    /// What stands before a line.
    prefix: String,
    /// The same with the marks of the items that have no line yet.
    marked: String,
    containers: Vec<Container>,
}

impl Layout {
    pub(super) fn new(capacity: usize) -> Self {
        let page = Container { holder: Holder::Page, end: 0, last: None };
        Self {
            out: String::with_capacity(capacity),
            prefix: String::new(),
            marked: String::new(),
            containers: vec![page],
        }
    }

    pub(super) fn into_text(self) -> String {
        self.out
    }

    fn open(&mut self, holder: Holder, mark: &str, indent: &str) {
        if self.prefix.len() + indent.len() <= MAX_PREFIX {
            self.prefix.push_str(indent);
            self.marked.push_str(mark);
        }
        self.containers.push(Container { holder, end: self.prefix.len(), last: None });
    }

    pub(super) fn open_quotation(&mut self) {
        self.open(Holder::Quotation, "> ", "> ");
    }

    /// Opens a list, with the number of its first item if it is ordered.
    pub(super) fn open_list(&mut self, start: Option<u32>, is_tight: bool) {
        let mut mark = if start.is_some() { Mark::Ordinal('.') } else { Mark::Bullet('-') };
        if let Some(Block::List { mark: before, .. }) = self.containers.last().and_then(|around| around.last)
            && std::mem::discriminant(&before) == std::mem::discriminant(&mark)
        {
            mark = before.other();
        }
        // Beyond the deepest level the items are paragraphs.
        let is_tight = is_tight && self.prefix.len() + 2 <= MAX_PREFIX;
        let (next, interrupts) = (start.unwrap_or_default(), start.is_none_or(|start| start == 1));
        self.open(Holder::List { mark, next, is_tight, interrupts }, "", "");
    }

    /// Makes the list just opened one with the list before it.
    pub(super) fn go_on(&mut self) {
        let Some([around, list]) = self.containers.last_chunk_mut() else { return };
        if let (Some(Block::List { mark: before, .. }), Holder::List { mark, .. }) = (around.last, &mut list.holder) {
            *mark = before;
        }
    }

    /// Opens an item of the list opened last.
    pub(super) fn open_item(&mut self) {
        let Some(Container { holder: Holder::List { mark, next, is_tight, .. }, .. }) = self.containers.last_mut()
        else {
            return;
        };
        let is_tight = *is_tight;
        let text = match *mark {
            Mark::Bullet(mark) => format!("{mark} "),
            Mark::Ordinal(mark) => format!("{next}{mark} "),
        };
        // CommonMark reads nine digits.
        *next = (*next + 1).min(999_999_999);
        self.open(Holder::Item { is_tight }, &text, &" ".repeat(text.len()));
    }

    /// Closes what was opened last: a quotation, a list or an item.
    pub(super) fn close(&mut self) {
        if self.containers.len() > 1 {
            self.containers.pop();
        }
        let end = self.containers.last().map_or(0, |around| around.end);
        self.prefix.truncate(end);
        self.marked.truncate(end);
    }

    /// Whether nothing was written in what was opened last.
    pub(super) fn is_empty(&self) -> bool {
        self.containers.last().is_none_or(|inmost| inmost.last.is_none())
    }

    /// Whether the next line begins with the mark of an item.
    pub(super) fn has_mark(&self) -> bool {
        self.marked != self.prefix
    }

    /// Writes a block of one or more lines.
    pub(super) fn block(&mut self, block: Block, lines: &str) {
        self.separate(block);
        if self.prefix.is_empty() && !self.has_mark() {
            self.out.push_str(lines);
            self.out.push('\n');
            return;
        }
        for line in lines.split('\n') {
            let start = self.out.len();
            self.out.push_str(&self.marked);
            self.out.push_str(line);
            if line.is_empty() {
                let end = self.out.trim_end_matches(' ').len();
                self.out.truncate(end.max(start));
            }
            self.out.push('\n');
            self.marked.clone_from(&self.prefix);
        }
    }

    /// Puts an empty line between this block and the one before, where one is due.
    fn separate(&mut self, block: Block) {
        if let Some(level) = self.containers.iter().rposition(|container| container.last.is_some()) {
            let next = self.within(level, block);
            if !self.joins(level, next, block) {
                self.out.push_str(self.prefix[..self.containers[level].end].trim_end());
                self.out.push('\n');
            }
        }
        for level in 0..self.containers.len() {
            self.containers[level].last = Some(self.within(level, block));
        }
    }

    /// Returns what a new block is to the container at a level: itself or what
    /// it stands in.
    fn within(&self, level: usize, block: Block) -> Block {
        match self.containers.get(level + 1).map(|inner| inner.holder) {
            None => block,
            Some(Holder::List { mark, interrupts, .. }) => Block::List { mark, interrupts },
            Some(_) => Block::Other,
        }
    }

    /// Whether a block stands on the line behind the one before it.
    fn joins(&self, level: usize, next: Block, block: Block) -> bool {
        let Container { holder, last, .. } = &self.containers[level];
        match holder {
            Holder::List { is_tight, .. } => *is_tight,
            // A mark without content would make a heading of the paragraph.
            Holder::Item { is_tight: true } => {
                *last == Some(Block::Paragraph)
                    && matches!(next, Block::List { interrupts: true, .. })
                    && block != Block::Nothing
            }
            _ => false,
        }
    }
}
