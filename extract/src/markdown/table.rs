use super::escape::Place;
use super::layout::Block;
use super::{NodeId, Tag, Writer};

/// Cells without content that a table may get from those that span others: for
/// each cell it has, and for any table.
const FILLERS: (usize, usize) = (4, 1_000);

/// Columns or rows that one cell may span.
const MAX_SPAN: usize = 1_000;

/// A table of data, laid out.
struct Grid {
    rows: Vec<Row>,
    /// Whether the first row holds the names of the columns.
    has_head: bool,
    width: usize,
}

type Row = Vec<(usize, NodeId)>;

impl Writer<'_> {
    pub(super) fn table(&mut self, id: NodeId) {
        self.flush();
        if self.place != Place::Paragraph || !self.holds_data(id) {
            self.children(id);
            return self.flush();
        }
        for child in self.dom.children(id).filter(|child| self.dom.is(*child, Tag::Caption)) {
            self.node(child);
        }
        let grid = self.grid(id);
        if let Some(lines) = self.rows(&grid) {
            self.layout.block(Block::Other, &lines);
        }
    }

    /// A cell where no table is written: of one that lays a page out, or within
    /// another's cell.
    pub(super) fn stray_cell(&mut self, id: NodeId) {
        if self.place == Place::Paragraph {
            self.block(id);
        } else {
            self.inline.space();
            self.children(id);
            self.inline.space();
        }
    }

    /// Whether a table says something by its rows and columns, and does not just
    /// lay the page out. Reads no further than to a table within it, so that a
    /// nest of tables is not read once for each.
    fn holds_data(&self, id: NodeId) -> bool {
        if self.dom.attribute(id, "role").is_some_and(|role| matches!(role, "presentation" | "none")) {
            return false;
        }
        let (mut cells, mut rows) = (0_usize, 0_usize);
        for inner in self.dom.descendants(id) {
            match self.dom.tag(inner) {
                Some(Tag::Th | Tag::Thead | Tag::Caption) => return true,
                Some(Tag::Td) => cells += 1,
                Some(Tag::Tr) => rows += 1,
                Some(Tag::Table | Tag::Pre | Tag::Form | Tag::Hr | Tag::Article | Tag::Section | Tag::Blockquote) => {
                    return false;
                }
                Some(tag) if tag.heading_level().is_some() => return false,
                _ => {}
            }
        }
        cells > rows
    }

    /// Returns the rows of a table's head, body and foot, in this order.
    fn rows_of(&self, id: NodeId) -> Vec<NodeId> {
        let (mut head, mut body, mut foot) = (Vec::new(), Vec::new(), Vec::new());
        for part in self.dom.children(id).filter(|part| !self.selection.is_left_out(*part)) {
            let rows = self.dom.children(part).filter(|row| self.dom.is(*row, Tag::Tr));
            let rows = rows.filter(|row| !self.selection.is_left_out(*row));
            match self.dom.tag(part) {
                Some(Tag::Thead) => head.extend(rows),
                Some(Tag::Tfoot) => foot.extend(rows),
                Some(Tag::Tr) => body.push(part),
                _ => body.extend(rows),
            }
        }
        head.into_iter().chain(body).chain(foot).collect()
    }

    /// Gives each cell its column, as WHATWG HTML 4.9.12 does. Columns in which
    /// no cell begins are left out.
    fn grid(&self, id: NodeId) -> Grid {
        let mut rows: Vec<Row> = Vec::new();
        let mut has_head = None;
        // For each column, the rows for which a cell from above still covers it.
        let mut covered: Vec<usize> = Vec::new();
        let (mut cells, mut fillers) = (0, 0);
        for tr in self.rows_of(id) {
            let is_cell = |cell: &NodeId| matches!(self.dom.tag(*cell), Some(Tag::Td | Tag::Th));
            let own = self.dom.children(tr).filter(is_cell).filter(|cell| !self.selection.is_left_out(*cell));
            let own: Vec<NodeId> = own.collect();
            let in_head = self.dom.parent(tr).is_some_and(|part| self.dom.is(part, Tag::Thead));
            if !own.is_empty() {
                has_head.get_or_insert(in_head || own.iter().all(|cell| self.dom.is(*cell, Tag::Th)));
            }
            let (mut row, mut column) = (Vec::with_capacity(own.len()), 0);
            for cell in own {
                while covered.get(column).is_some_and(|rows| *rows > 0) {
                    column += 1;
                    fillers += 1;
                }
                cells += 1;
                let span = |name| if may_span(fillers, cells) { self.span(cell, name) } else { 1 };
                let (wide, high) = (span("colspan"), span("rowspan"));
                fillers += wide - 1;
                if high > 1 || covered.len() > column {
                    covered.resize(covered.len().max(column + wide), 0);
                    covered[column..column + wide].fill(high);
                }
                row.push((column, cell));
                column += wide;
            }
            covered.iter_mut().for_each(|rows| *rows = rows.saturating_sub(1));
            while covered.last() == Some(&0) || !may_span(fillers, cells) && !covered.is_empty() {
                covered.pop();
            }
            if !row.is_empty() {
                rows.push(row);
            }
        }
        let width = without_empty_columns(&mut rows);
        Grid { rows, has_head: has_head.unwrap_or_default(), width }
    }

    fn span(&self, cell: NodeId, name: &str) -> usize {
        self.dom.attribute(cell, name).and_then(|span| span.parse().ok()).unwrap_or(1).clamp(1, MAX_SPAN)
    }

    /// Returns the table's lines; nothing when it has no content.
    fn rows(&mut self, grid: &Grid) -> Option<String> {
        let mut lines = String::new();
        let mut rows = grid.rows.iter();
        let mut has_content = false;
        let head = if grid.has_head { rows.next() } else { None };
        has_content |= self.row(&mut lines, head.map_or(&[], Vec::as_slice), grid.width);
        lines.push_str("\n|");
        let mut heads = head.into_iter().flatten().peekable();
        for column in 0..grid.width {
            let cell = heads.next_if(|(at, _)| *at == column);
            lines.push_str(cell.map_or(" --- |", |(_, cell)| self.alignment(*cell)));
        }
        for row in rows {
            let end = lines.len();
            lines.push('\n');
            if self.row(&mut lines, row, 0) {
                has_content = true;
            } else {
                lines.truncate(end);
            }
        }
        has_content.then_some(lines)
    }

    /// Writes a row with at least so many cells; says whether any has content.
    fn row(&mut self, lines: &mut String, cells: &[(usize, NodeId)], width: usize) -> bool {
        let (mut column, mut has_content) = (0, false);
        lines.push('|');
        for (at, cell) in cells {
            lines.push_str(&"  |".repeat(at.saturating_sub(column)));
            column = at + 1;
            self.cell(*cell);
            has_content |= !self.line.is_empty();
            lines.push(' ');
            lines.push_str(&self.line);
            lines.push_str(" |");
        }
        lines.push_str(&"  |".repeat(width.saturating_sub(column)));
        has_content
    }

    /// Writes a cell's content into the line.
    fn cell(&mut self, id: NodeId) {
        self.line.clear();
        self.place = Place::Cell;
        self.children(id);
        self.render();
        self.place = Place::Paragraph;
    }

    fn alignment(&self, cell: NodeId) -> &'static str {
        let style = self.dom.attribute(cell, "style").and_then(|style| style.split_once("text-align:"));
        let named = self.dom.attribute(cell, "align").or_else(|| style.map(|(_, value)| value.trim_start()));
        match named {
            Some(value) if value.starts_with("center") => " :-: |",
            Some(value) if value.starts_with("right") => " --: |",
            _ => " --- |",
        }
    }
}

fn may_span(fillers: usize, cells: usize) -> bool {
    fillers < cells * FILLERS.0 + FILLERS.1
}

/// Numbers the columns in which a cell begins; returns how many there are.
fn without_empty_columns(rows: &mut [Row]) -> usize {
    let width = rows.iter().flatten().map(|(column, _)| column + 1).max().unwrap_or_default();
    let mut places = vec![0; width];
    rows.iter().flatten().for_each(|(column, _)| places[*column] = 1);
    let mut count = 0;
    for place in &mut places {
        let is_used = *place == 1;
        *place = count;
        count += usize::from(is_used);
    }
    rows.iter_mut().flatten().for_each(|(column, _)| *column = places[*column]);
    count
}
