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
mod main_content;
mod metadata;
mod repair;
mod structured_data;
mod text;
mod tree;
mod words;

pub use charset::decode;
pub use content::{Content, ContentOptions, Format};
pub use document::Document;
#[cfg(feature = "training")]
pub use main_content::training;
pub use metadata::Metadata;
pub use words::word_count;

#[cfg(test)]
mod tests;
