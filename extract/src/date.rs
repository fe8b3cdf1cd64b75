//! Days as pages write them, in figures and in the words of many languages.

use time::macros::format_description;
use time::{Date, Month, OffsetDateTime};

mod months;
mod scan;

pub(crate) use scan::Order;

/// Years that a page of the web can be from; what is outside is no date of one.
const YEARS: std::ops::RangeInclusive<u32> = 1990..=2100;

/// Characters of a text in which a date is looked for.
const MAX_TEXT: usize = 200;

/// Reads the day out of a value that is to be a date, as `YYYY-MM-DD`; the day
/// is that of the place the page speaks of, no time zone is applied. Seconds and
/// milliseconds since 1970 are read too, as UTC.
pub(crate) fn iso_day(value: &str, order: Order) -> Option<String> {
    let value = value.trim();
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        return of_digits(value).map(iso);
    }
    first_day(value, order)
}

/// Returns the first day that a text names, as `YYYY-MM-DD`.
pub(crate) fn first_day(text: &str, order: Order) -> Option<String> {
    let text = &text[..text.floor_char_boundary(MAX_TEXT)];
    scan::first(text, order).map(iso)
}

/// Whether a word is the name of a month, in any of the languages known.
pub(crate) fn is_month(word: &str) -> bool {
    months::number(word.trim_end_matches('.')).is_some()
}

/// Returns the day in a path of the form `/2024/03/17/`, `/2024-03-17-…` or
/// `/20240317/`.
pub(crate) fn day_of_path(path: &str) -> Option<String> {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).take(30).collect();
    let of_three = segments.windows(3).find_map(|parts| {
        let is_full = parts[0].len() == 4 && parts[1].len() <= 2 && parts[2].len() <= 2;
        let number = |at: usize| parts[at].parse().ok();
        if is_full { day(number(0)?, number(1)?, number(2)?) } else { None }
    });
    let of_one = || {
        segments.iter().find_map(|segment| {
            let digits = segment.split(|c: char| !c.is_ascii_digit()).next().filter(|digits| digits.len() == 8);
            let dashed = || scan::first(segment.get(..10)?, Order::DayFirst);
            digits.and_then(of_digits).or_else(dashed)
        })
    };
    of_three.or_else(of_one).map(iso)
}

fn of_digits(digits: &str) -> Option<Date> {
    match digits.len() {
        8 => day(digits[..4].parse().ok()?, digits[4..6].parse().ok()?, digits[6..].parse().ok()?),
        10 => of_seconds(digits.parse().ok()?),
        13 => of_seconds(digits.parse::<i64>().ok()? / 1_000),
        _ => None,
    }
}

fn of_seconds(seconds: i64) -> Option<Date> {
    let date = OffsetDateTime::from_unix_timestamp(seconds).ok()?.date();
    u32::try_from(date.year()).ok().filter(|year| YEARS.contains(year)).map(|_| date)
}

fn day(year: u32, month: u32, day: u32) -> Option<Date> {
    if !YEARS.contains(&year) {
        return None;
    }
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    Date::from_calendar_date(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?).ok()
}

fn iso(date: Date) -> String {
    date.format(format_description!("[year]-[month]-[day]")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_dates_are_read_in_any_form() {
        for text in [
            "2024-03-17",
            "2024-03-17T23:30:00-05:00",
            "2024/03/17",
            "20240317",
            "March 17, 2024",
            "Mar 17, 2024",
            "17 March 2024",
            "Sun, 17 Mar 2024 08:00:00 GMT",
            "Sun, 03/17/2024 - 11:38",
            "1710676800",
            "1710676800000",
            "03-17-2024",
        ] {
            assert_eq!(iso_day(text, Order::MonthFirst).as_deref(), Some("2024-03-17"), "{text}");
        }
        for text in ["", "yesterday", "2024-13-01", "17.3.", "2024-03", "12345", "1710676800000000", "0999-01-01"] {
            assert_eq!(iso_day(text, Order::MonthFirst), None, "{text}");
        }
    }

    #[test]
    fn visible_dates_are_read_in_many_languages() {
        for text in [
            "Published on March 17th, 2024 by Ann",
            "Updated: 17th of March 2024",
            "Veröffentlicht am 17. März 2024",
            "Publié le 17 mars 2024 à 10h30",
            "17 de marzo de 2024",
            "17 de março de 2024",
            "17 marzo 2024",
            "17 maart 2024",
            "17 марта 2024 г.",
            "17 marca 2024",
            "17. března 2024",
            "17 Mart 2024",
            "2024. március 17.",
            "2024年3月17日公開",
            "2024년 3월 17일",
            "17.03.2024, 12:00",
            "17-Mar-2024",
            "17/3/2024",
            "Mar. 17, '24",
            "3 min read · 17 Mar 2024",
        ] {
            assert_eq!(first_day(text, Order::DayFirst).as_deref(), Some("2024-03-17"), "{text}");
        }
        assert_eq!(first_day("04/03/2024", Order::DayFirst).as_deref(), Some("2024-03-04"));
        assert_eq!(first_day("04/03/2024", Order::MonthFirst).as_deref(), Some("2024-04-03"));
        for text in ["March 2024", "1/2 cup", "version 10.2.2024.1", "call 555-01-2024", "10:30", "Section 3.2.1"] {
            assert_eq!(first_day(text, Order::DayFirst), None, "{text}");
        }
    }

    #[test]
    fn paths_name_days() {
        for path in ["/2024/03/17/title", "/news/2024-03-17-title.html", "/a/20240317/b", "/2024/3/17"] {
            assert_eq!(day_of_path(path).as_deref(), Some("2024-03-17"), "{path}");
        }
        for path in ["/2024/03/", "/1/2/3/", "/é2024-03-1é", "/123456789/", "/99999999/"] {
            assert_eq!(day_of_path(path), None, "{path}");
        }
    }
}
