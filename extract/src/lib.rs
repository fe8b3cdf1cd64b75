//! Reading pages: bytes or text in, owned records out. Pure: no async code, no
//! I/O, no clock, no environment.
//!
//! A page is parsed once, into a flat tree that never changes. Main content is a
//! selection of its nodes; text, Markdown and HTML are written straight from
//! tree and selection.

mod addresses;
mod charset;
mod content;
mod date;
mod document;
mod dom;
mod html;
mod images;
mod language;
mod links;
mod main_content;
mod markdown;
mod metadata;
mod octets;
mod plain;
mod robots;
pub mod sitemap;
mod srcset;
mod structured_data;
mod text;
mod words;

pub use charset::decode;
pub use content::{Content, ContentOptions, Format};
pub use document::Document;
pub use images::{Image, Role};
pub use links::{Link, LinkKind, normalise};
#[cfg(feature = "training")]
pub use main_content::training;
pub use metadata::Metadata;
pub use robots::Robots;
pub use words::word_count;

#[cfg(test)]
mod tests;
