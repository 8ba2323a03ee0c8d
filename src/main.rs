//! The `cutpoint` command.
fn main() {}
