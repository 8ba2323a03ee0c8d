#![no_main]

use cutpoint::import::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = Format::Atif.read(data);
});
