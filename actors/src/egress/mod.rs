//! The one way out of the process: which addresses may be reached, and the
//! only places that dial them.

mod error;

pub use error::EgressError;
