//! Reading pages: bytes or text in, owned records out. Pure: no async code, no
//! I/O, no clock, no environment.
//!
//! Main content and Markdown are those of well-kept libraries for now
//! (`dom_smoothie`, `mdka`); what stands before and after them is ours: charset,
//! a tree without traps, absolute URLs, metadata, counting.

mod charset;
mod content;
mod date;
mod document;
mod dom;
mod language;
mod links;
mod metadata;
mod plain;
mod provisional;
mod repair;
pub mod sitemap;
mod structured_data;
mod text;
mod tree;
mod words;

pub use charset::decode;
pub use content::{Content, ContentOptions, Format};
pub use document::Document;
pub use metadata::Metadata;
pub use provisional::{Image, Link, Robots};
pub use words::word_count;

#[cfg(test)]
mod tests;
