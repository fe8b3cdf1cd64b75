use time::Date;

use super::{day, months};

/// What comes first where both could be: 4/3 is the 4th of March or April 3rd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    DayFirst,
    MonthFirst,
}

#[derive(Debug, Clone, Copy)]
enum Kind<'a> {
    Number { value: u32, digits: usize },
    Word(&'a str),
}

#[derive(Debug, Clone, Copy)]
struct Token<'a> {
    kind: Kind<'a>,
    /// The character right before it; a space at the start.
    before: char,
}

/// Returns the first day a text names.
pub(super) fn first(text: &str, order: Order) -> Option<Date> {
    let tokens = tokens(text);
    (0..tokens.len()).find_map(|at| {
        let rest = &tokens[at..];
        year_first(rest).or_else(|| in_words(rest)).or_else(|| in_figures(rest, order))
    })
}

/// Splits a text into runs of digits and runs of letters.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut before = ' ';
    while let Some(character) = rest.chars().next() {
        let length = if character.is_ascii_digit() {
            rest.find(|c: char| !c.is_ascii_digit())
        } else if character.is_alphabetic() {
            rest.find(|c: char| !c.is_alphabetic())
        } else {
            Some(character.len_utf8())
        };
        let (run, behind) = rest.split_at(length.unwrap_or(rest.len()));
        rest = behind;
        if character.is_ascii_digit() {
            // Runs too long for a number are no part of a date; 0 is none either.
            tokens.push(Token { kind: Kind::Number { value: run.parse().unwrap_or(0), digits: run.len() }, before });
        } else if character.is_alphabetic() {
            tokens.push(Token { kind: Kind::Word(run), before });
        }
        before = run.chars().next_back().unwrap_or(' ');
    }
    tokens
}

impl Token<'_> {
    fn year(&self) -> Option<u32> {
        match self.kind {
            Kind::Number { value, digits: 4 } => Some(value),
            // Only after an apostrophe two digits are sure to be a year.
            Kind::Number { value, digits: 2 } if matches!(self.before, '\'' | '’') => Some(2000 + value),
            _ => None,
        }
    }

    fn small(&self) -> Option<u32> {
        match self.kind {
            Kind::Number { value, digits: 1 | 2 } => Some(value),
            _ => None,
        }
    }

    fn month(&self) -> Option<u32> {
        match self.kind {
            Kind::Word(word) => months::number(word),
            Kind::Number { .. } => None,
        }
    }

    fn starts_with(&self, signs: [char; 2]) -> bool {
        matches!(self.kind, Kind::Word(word) if word.starts_with(signs))
    }
}

/// `2024-03-17`, `2024. március 17.`, `2024年3月17日`.
fn year_first(tokens: &[Token]) -> Option<Date> {
    let [first, second, third, ..] = tokens else { return None };
    let year = first.year()?;
    if second.starts_with(['年', '년']) {
        let [.., month_sign, fourth] = tokens.get(..5)? else { return None };
        return month_sign.starts_with(['月', '월']).then(|| day(year, third.small()?, fourth.small()?))?;
    }
    if let Some(month) = second.month() {
        return day(year, month, third.small()?);
    }
    // What goes on with the same sign is a number of another kind.
    let goes_on = tokens.get(3).is_some_and(|next| next.before == third.before && next.small().is_some());
    let is_date = matches!(second.before, '-' | '/' | '.') && second.before == third.before && !goes_on;
    is_date.then(|| day(year, second.small()?, third.small()?))?
}

/// `17 March 2024`, `17 de marzo de 2024`, `March 17th, 2024`.
fn in_words(tokens: &[Token]) -> Option<Date> {
    let mut parts = tokens.iter().take(7).filter(|token| !is_filler(token));
    let [first, second, third] = [parts.next()?, parts.next()?, parts.next()?];
    // A filler at the start would find the same date twice, and more slowly.
    if is_filler(&tokens[0]) {
        return None;
    }
    if let Some(month) = first.month() {
        return day(third.year()?, month, second.small()?);
    }
    day(third.year()?, second.month()?, first.small()?)
}

/// Stands between the parts of a date written out.
fn is_filler(token: &Token) -> bool {
    const FILLERS: [&str; 14] = ["st", "nd", "rd", "th", "er", "of", "de", "del", "di", "a", "e", "º", "ª", "le"];
    matches!(token.kind, Kind::Word(word) if FILLERS.iter().any(|filler| filler.eq_ignore_ascii_case(word)))
}

/// `17.03.2024`, `3/17/2024`, `17-03-2024`. Points are written where days come
/// first, whatever the page's language.
fn in_figures(tokens: &[Token], order: Order) -> Option<Date> {
    let [first, second, third, ..] = tokens else { return None };
    let sign = second.before;
    let goes_on = tokens.get(3).is_some_and(|next| next.before == sign && matches!(next.kind, Kind::Number { .. }));
    if !matches!(sign, '-' | '/' | '.') || third.before != sign || first.before == sign || goes_on {
        return None;
    }
    let (one, two, year) = (first.small()?, second.small()?, third.year()?);
    let day_first = day(year, two, one);
    let month_first = day(year, one, two);
    if order == Order::DayFirst || sign == '.' { day_first.or(month_first) } else { month_first.or(day_first) }
}
