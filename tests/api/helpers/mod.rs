mod app;
mod site;

pub use app::TestApp;
pub use site::{Canary, TestSite};
