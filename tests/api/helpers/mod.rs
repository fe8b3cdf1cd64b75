mod app;
mod site;

pub use app::{Reply, TestApp};
pub use site::{Canary, TestSite};
