//! Bounds files that version control could not merge.

#![cfg_attr(libfuzzer, no_main)]

flex_fuzz::fuzz_target!(flex_fuzz::targets::bounds_conflict);
