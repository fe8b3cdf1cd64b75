//! What is counted of a text: words, punctuation, capitals.

use super::lexicon::{self, GROUPS};

/// Counts over the text of a block, and by sums over that of an element.
#[derive(Debug, Clone, Default)]
pub(super) struct TextStats {
    pub(super) words: u32,
    pub(super) link_words: u32,
    /// Texts within links.
    pub(super) links: u32,
    /// Characters but white space.
    pub(super) chars: u32,
    pub(super) digits: u32,
    /// Words that begin with a capital.
    pub(super) capitals: u32,
    pub(super) commas: u32,
    /// Marks that end a sentence.
    pub(super) stops: u32,
    /// Other punctuation and symbols.
    pub(super) symbols: u32,
    /// Signs of money.
    pub(super) prices: u32,
    /// Words that sentences are joined with, such as `of` and `und`.
    pub(super) joints: u32,
    pub(super) breaks: u32,
    pub(super) copyright: bool,
    /// The last character, but for white space.
    pub(super) last: char,
    pub(super) first: char,
    /// Hash of the characters, but for white space and digits.
    pub(super) hash: u64,
    /// Words of each group of the lexicon.
    pub(super) said: [u16; GROUPS],
}

impl TextStats {
    /// Adds a text. A word is a run without white space that has a letter or
    /// digit; two characters of a script without spaces count as one.
    pub(super) fn read(&mut self, text: &str, is_link: bool) {
        let before = self.words;
        let mut word = Word::default();
        for character in text.chars() {
            if character.is_whitespace() {
                self.end_word(&mut word);
            } else {
                self.add(character, &mut word);
            }
        }
        self.end_word(&mut word);
        if is_link {
            self.links += 1;
            self.link_words += self.words - before;
        }
    }

    fn add(&mut self, character: char, word: &mut Word) {
        self.chars += 1;
        if self.chars == 1 {
            self.first = character;
        }
        self.last = character;
        self.hash = (self.hash ^ u64::from(character)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if character.is_ascii_alphabetic() {
            word.begins_with_capital |= word.len == 0 && character.is_ascii_uppercase();
            word.push(character);
            return;
        }
        match character {
            '0'..='9' => {
                self.digits += 1;
                word.has_letters = true;
            }
            ',' | '،' | '、' | '，' | ';' => self.commas += 1,
            '.' | '!' | '?' | '。' | '！' | '？' | '…' => self.stops += 1,
            '$' | '€' | '£' | '¥' | '₹' | '₽' => self.prices += 1,
            '©' => self.copyright = true,
            _ if character.is_alphabetic() => {
                word.begins_with_capital |= word.len == 0 && character.is_uppercase();
                word.push('\u{7f}');
                if is_unspaced(character) {
                    word.unspaced += 1;
                }
            }
            _ => self.symbols += 1,
        }
    }

    fn end_word(&mut self, word: &mut Word) {
        if word.has_letters {
            self.words += 1 + word.unspaced / 2;
            self.capitals += u32::from(word.begins_with_capital);
            self.joints += u32::from(word.len <= 4 && is_joint(word.letters));
            if let Some(group) = lexicon::group(word.hash) {
                self.said[group] = self.said[group].saturating_add(1);
            }
        }
        *word = Word::default();
    }

    /// Adds the counts of another; its last character, hash and the like stay out.
    pub(super) fn add_counts(&mut self, other: &Self) {
        self.words += other.words;
        self.link_words += other.link_words;
        self.links += other.links;
        self.chars += other.chars;
        self.digits += other.digits;
        self.capitals += other.capitals;
        self.commas += other.commas;
        self.stops += other.stops;
        self.symbols += other.symbols;
        self.prices += other.prices;
        self.joints += other.joints;
        self.breaks += other.breaks;
    }
}

#[derive(Default)]
struct Word {
    hash: u32,
    /// The first four letters, in lower case.
    letters: u32,
    len: u32,
    has_letters: bool,
    begins_with_capital: bool,
    unspaced: u32,
}

impl Word {
    fn push(&mut self, letter: char) {
        self.has_letters = true;
        self.len += 1;
        self.hash = lexicon::add(self.hash, u32::from(letter.to_ascii_lowercase()));
        if self.len <= 4 {
            self.letters = (self.letters << 8) | (u32::from(letter.to_ascii_lowercase()) & 0xff);
        }
    }
}

/// Letters of scripts that put no spaces between words.
fn is_unspaced(character: char) -> bool {
    matches!(character, '\u{0e00}'..='\u{0eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{2ffff}')
}

const fn packed(word: &[u8]) -> u32 {
    let (mut letters, mut at) = (0, 0);
    while at < word.len() {
        letters = (letters << 8) | word[at] as u32;
        at += 1;
    }
    letters
}

macro_rules! joints {
    ($($word:literal)*) => {
        /// Whether a word of at most four letters is among the most frequent of
        /// English, German, French, Spanish, Italian, Portuguese and Dutch text.
        fn is_joint(letters: u32) -> bool {
            [$(packed($word),)*].contains(&letters)
        }
    };
}

joints!(
    b"the" b"of" b"and" b"to" b"in" b"is" b"it" b"that" b"was" b"on" b"are" b"as" b"with" b"they" b"at" b"be" b"this"
    b"have" b"from" b"or" b"had" b"by" b"but" b"not" b"what" b"we" b"when" b"can" b"an" b"your" b"you" b"if" b"will"
    b"i" b"he" b"she" b"his" b"her" b"for" b"a" b"so" b"than" b"been" b"were" b"who" b"die" b"der" b"und" b"den" b"von"
    b"zu" b"das" b"mit" b"sich" b"des" b"auf" b"ist" b"im" b"dem" b"ein" b"auch" b"es" b"de" b"la" b"le" b"les" b"et"
    b"un" b"une" b"du" b"en" b"que" b"est" b"pour" b"qui" b"dans" b"par" b"el" b"y" b"los" b"se" b"del" b"las" b"una"
    b"no" b"su" b"e" b"di" b"che" b"il" b"per" b"non" b"do" b"da" b"os" b"em" b"um" b"het" b"een" b"van" b"dat"
);
