//! Which parts of a page are its content.

mod blocks;
mod context;
mod features;
mod lexicon;
mod outline;
mod page_type;
mod text_stats;
mod unscripted;
#[cfg(feature = "training")]
pub mod training;
mod vocabulary;

pub(crate) use page_type::PageType;
