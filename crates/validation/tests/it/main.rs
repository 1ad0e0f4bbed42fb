//! The experiments against their claims, and the program against bad input.

mod claims;
mod program;
mod report;
