//! Any bytes under any label are text.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8])| {
    let (content_type, body) = input;
    extract::decode(body, Some(content_type));
    extract::decode(body, None);
});
