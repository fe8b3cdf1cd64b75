//! Finished answers by key, and the rule that one piece of work under a key is
//! done once at a time.
