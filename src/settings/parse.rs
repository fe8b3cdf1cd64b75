//! From text to values. Each parser's error is the predicate of a sentence
//! whose subject is the value: "is not a port number (1 to 65535)".

use std::fmt::Display;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use url::Url;

/// Shortest and longest time-out, in milliseconds.
const TIMEOUT_MS: RangeInclusive<u64> = 100..=600_000;
/// Longest time to live, in seconds: a year.
const MAX_TTL_S: u64 = 31_536_000;

/// Parses a TCP port that can be listened on.
pub(super) fn port(text: &str) -> Result<u16, String> {
    text.parse().ok().filter(|port| *port > 0).ok_or_else(|| "is not a port number (1 to 65535)".to_owned())
}

/// Parses an IP address without a port.
pub(super) fn ip_address(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| "is not an IP address".to_owned())
}

/// Parses a yes or no.
pub(super) fn flag(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("is neither true nor false".to_owned()),
    }
}

/// Returns a parser of whole numbers within `range`.
pub(super) fn within<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String>
where
    T: FromStr + PartialOrd + Display,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("is not a whole number from {} to {}", range.start(), range.end()))
    }
}

/// Parses a time-out in milliseconds.
pub(super) fn timeout(text: &str) -> Result<Duration, String> {
    let milliseconds = text.parse().ok().filter(|number| TIMEOUT_MS.contains(number));
    let (low, high) = (TIMEOUT_MS.start(), TIMEOUT_MS.end());
    milliseconds
        .map(Duration::from_millis)
        .ok_or_else(|| format!("is not a whole number of milliseconds from {low} to {high}"))
}

/// Parses a time to live in seconds; 0 means that nothing is kept.
pub(super) fn ttl(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| *seconds <= MAX_TTL_S);
    seconds.map(Duration::from_secs).ok_or_else(|| format!("is not a whole number of seconds from 0 to {MAX_TTL_S}"))
}

/// Returns a parser of one of `choices`, in any case.
pub(super) fn one_of<T: Copy>(choices: &[(&'static str, T)]) -> impl Fn(&str) -> Result<T, String> {
    move |text| {
        let found = choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
        found.map(|(_, value)| *value).ok_or_else(|| format!("is not one of {}", names.join(", ")))
    }
}

/// Returns a parser of comma-separated items; blanks between commas are skipped.
pub(super) fn list<T>(item: impl Fn(&str) -> Result<T, String>) -> impl Fn(&str) -> Result<Vec<T>, String> {
    move |text| {
        let items = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        items.enumerate().map(|(at, part)| item(part).map_err(|why| in_list(at, &why))).collect()
    }
}

fn in_list(at: usize, why: &str) -> String {
    format!("is a list whose item {} {why}", at + 1)
}

/// Parses an `http` or `https` address without credentials, query or fragment.
/// The path of the result ends with a slash, so that `join("v1/…")` extends it.
pub(super) fn base_url(text: &str) -> Result<Url, String> {
    let mut url = Url::parse(text).map_err(|error| format!("is not an address ({error})"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("is not an http:// or https:// address".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("holds a user name or password".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("holds a query or a fragment".to_owned());
    }
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}

/// Returns a parser of an address with one of `schemes` and a host, kept as it
/// was written; it may hold credentials, which no error repeats.
pub(super) fn address(schemes: &[&str]) -> impl Fn(&str) -> Result<String, String> {
    move |text| {
        let url = Url::parse(text).map_err(|error| format!("is not an address ({error})"))?;
        if !schemes.contains(&url.scheme()) {
            let allowed: Vec<_> = schemes.iter().map(|scheme| format!("{scheme}://")).collect();
            return Err(format!("does not begin with {}", allowed.join(" or ")));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err("names no host".to_owned());
        }
        Ok(text.to_owned())
    }
}

/// Parses a key, token or identifier: visible ASCII without blanks, as it must
/// fit into a header line.
pub(super) fn token(text: &str) -> Result<String, String> {
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(text.to_owned());
    }
    Err("holds characters other than visible ASCII".to_owned())
}

/// Parses the path of a file that can be opened.
pub(super) fn readable_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let file = std::fs::File::open(&path).and_then(|file| file.metadata());
    match file {
        Ok(metadata) if metadata.is_file() => Ok(path),
        Ok(_) => Err("is not a file".to_owned()),
        Err(error) => Err(format!("cannot be read ({error})")),
    }
}
