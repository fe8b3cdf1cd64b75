/// Attributes of one tag that are kept.
const MAX_ATTRIBUTES: usize = 500;

/// Follows one tag from its `<` to its `>` through the attribute states of the
/// HTML tokenizer, and leaves out what stands behind the 500th attribute.
#[derive(Debug, Default)]
pub(crate) struct TagReader {
    state: State,
    attributes: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    DoubleQuoted,
    SingleQuoted,
    Unquoted,
    Ended,
}

impl TagReader {
    /// Whether the tokenizer sees a tag begin here; in raw text only an end tag
    /// can.
    pub(crate) fn begins(piece: &str, in_raw_text: bool) -> bool {
        let start = piece.strip_prefix('<').filter(|_| !in_raw_text);
        let name = piece.strip_prefix("</").or(start);
        name.is_some_and(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()))
    }

    /// Returns what to keep of the tag's next piece: a head, and a tail from the
    /// tag's end on.
    pub(crate) fn pass<'a>(&mut self, piece: &'a str) -> [&'a str; 2] {
        let mut cut = (self.attributes > MAX_ATTRIBUTES).then_some(0);
        for (at, byte) in piece.bytes().enumerate() {
            let naming = self.state;
            self.state = next(naming, byte);
            if self.state == State::Ended {
                return [&piece[..cut.unwrap_or(at)], &piece[at..]];
            }
            if self.state == State::Name && naming != State::Name {
                self.attributes += 1;
                if self.attributes > MAX_ATTRIBUTES && cut.is_none() {
                    // A state before a name follows an ASCII byte, and a name
                    // begins with a whole character.
                    cut = Some(at);
                }
            }
        }
        [&piece[..cut.unwrap_or(piece.len())], ""]
    }
}

/// WHATWG HTML, 13.2.5.8 and 13.2.5.32 to 13.2.5.40.
fn next(state: State, byte: u8) -> State {
    let space = byte.is_ascii_whitespace();
    match (state, byte) {
        (State::Ended, _) => State::Ended,
        (State::DoubleQuoted, b'"') | (State::SingleQuoted, b'\'') => State::BeforeName,
        (State::DoubleQuoted | State::SingleQuoted, _) => state,
        (_, b'>') => State::Ended,
        (State::BeforeValue, _) if space => State::BeforeValue,
        (State::BeforeValue, b'"') => State::DoubleQuoted,
        (State::BeforeValue, b'\'') => State::SingleQuoted,
        (State::BeforeValue, _) => State::Unquoted,
        (State::Unquoted, _) => {
            if space {
                State::BeforeName
            } else {
                State::Unquoted
            }
        }
        (State::TagName, _) => {
            if space || byte == b'/' {
                State::BeforeName
            } else {
                State::TagName
            }
        }
        (State::Name | State::AfterName, b'=') => State::BeforeValue,
        (State::Name | State::AfterName, _) if space => State::AfterName,
        (_, b'/') => State::BeforeName,
        (State::BeforeName, _) if space => State::BeforeName,
        (State::BeforeName | State::Name | State::AfterName, _) => State::Name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(tag: &str) -> (String, usize) {
        let mut reader = TagReader::default();
        (reader.pass(tag).concat(), reader.attributes)
    }

    #[test]
    fn attributes_are_counted_as_the_standard_counts_them() {
        for (tag, count) in [
            ("<p>", 0),
            ("<p/>", 0),
            ("<p a b c>", 3),
            ("<p a = 1 b='x > y' c=\"a b c\"d/e>text a b", 5),
            ("<p a=x/y/z =b>", 2),
            // The name of an end tag counts as well, for simplicity.
            ("</p a>", 2),
            ("<img alt=ä ö=1>", 2),
        ] {
            assert_eq!(kept(tag), (tag.to_owned(), count), "{tag}");
        }
    }

    #[test]
    fn what_is_too_much_is_left_out_across_pieces() {
        let names = " ä=\"<b>\"".repeat(700);
        let tag = format!("<p{names}>text");
        assert_eq!(kept(&tag).0, format!("<p{} >text", " ä=\"<b>\"".repeat(500)));
        let mut reader = TagReader::default();
        let pieces = tag.split_inclusive("ä").map(|piece| reader.pass(piece).concat()).collect::<String>();
        assert_eq!(pieces, kept(&tag).0);
    }
}
