use time::Date;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

/// Forms of a date without a time that pages use besides ISO 8601.
const FORMS: [&[BorrowedFormatItem<'static>]; 6] = [
    format_description!("[year]/[month]/[day]"),
    format_description!("[year][month][day]"),
    format_description!("[month repr:long] [day padding:none], [year]"),
    format_description!("[month repr:short] [day padding:none], [year]"),
    format_description!("[day padding:none] [month repr:long] [year]"),
    format_description!("[day padding:none] [month repr:short] [year]"),
];

/// Reads the day out of a date or a date with time, as `YYYY-MM-DD`; the day is
/// that of the place the page speaks of, no time zone is applied.
pub(crate) fn iso_day(text: &str) -> Option<String> {
    let text = text.trim();
    let iso = format_description!("[year]-[month]-[day]");
    let date = text.get(..10).and_then(|head| Date::parse(head, iso).ok());
    let date = date.or_else(|| FORMS.iter().find_map(|form| Date::parse(text, form).ok()));
    date.and_then(|date| date.format(iso).ok())
}

#[cfg(test)]
mod tests {
    use super::iso_day;

    #[test]
    fn the_usual_forms_are_read() {
        for text in [
            "2024-03-17",
            "2024-03-17T23:30:00-05:00",
            "2024/03/17",
            "20240317",
            "March 17, 2024",
            "Mar 17, 2024",
            "17 March 2024",
        ] {
            assert_eq!(iso_day(text).as_deref(), Some("2024-03-17"), "{text}");
        }
        for text in ["", "yesterday", "2024-13-01", "17.3.", "2024-03"] {
            assert_eq!(iso_day(text), None, "{text}");
        }
    }
}
