//! Plain async functions over gates: hold → fetch → extract → settle.
