/// Counts words as a reader does: a run of letters and digits is one, with the
/// apostrophes, hyphens and points inside it; each character of a script without
/// spaces (Chinese, Japanese, Thai) is one.
pub fn word_count(text: &str) -> usize {
    text.split(|character: char| !is_part_of_a_word(character)).map(words_in).sum()
}

fn is_part_of_a_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '\'' | '’' | '-' | '_' | '.')
}

fn words_in(run: &str) -> usize {
    let unspaced = run.chars().filter(|character| is_unspaced(*character)).count();
    let spaced = run.split(is_unspaced).filter(|part| part.chars().any(char::is_alphanumeric)).count();
    unspaced + spaced
}

/// Scripts written without spaces between words, by their Unicode blocks.
fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{0e00}'..='\u{0e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_as_a_reader_counts() {
        for (text, count) in [
            ("", 0),
            ("one", 1),
            ("Don't stop-gap 3.14 it's", 4),
            ("a, b; c - d", 4),
            ("- * | **", 0),
            ("漢字かな", 4),
            ("Rust は速い", 4),
            ("straße naïve Москва", 3),
        ] {
            assert_eq!(word_count(text), count, "{text}");
        }
    }
}
