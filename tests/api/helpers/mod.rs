mod app;
mod site;
mod web;

pub use app::{MORE_HOSTS, Reply, TestApp};
pub use site::{Canary, TestSite};
pub use web::{Web, page};
