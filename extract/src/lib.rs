//! Reading pages: bytes or text in, owned records out. Pure: no async code, no
//! I/O, no clock, no environment.
//!
//! A page is parsed once, into a flat tree that never changes. Main content is a
//! selection of its nodes; text, Markdown and HTML are written straight from
//! tree and selection.

mod charset;
mod content;
mod date;
mod document;
mod dom;
mod html;
mod language;
mod links;
mod markdown;
mod metadata;
mod plain;
mod robots;
mod srcset;
mod structured_data;
mod text;
mod words;

pub use charset::decode;
pub use content::{Content, ContentOptions, Format};
pub use document::Document;
pub use metadata::Metadata;
pub use robots::Robots;
pub use words::word_count;

#[cfg(test)]
mod tests;
