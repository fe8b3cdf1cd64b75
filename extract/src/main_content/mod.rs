//! Which parts of a page are its content.

mod blocks;
mod features;
mod outline;
mod page_type;
mod text_stats;
#[cfg(feature = "training")]
pub mod training;
mod vocabulary;

pub(crate) use page_type::PageType;
