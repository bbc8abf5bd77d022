//! Bounds files, read and selected from.

#![cfg_attr(libfuzzer, no_main)]

flex_fuzz::fuzz_target!(flex_fuzz::targets::bounds_file);
