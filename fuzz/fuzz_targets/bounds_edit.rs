//! Bounds files, written over.

#![cfg_attr(libfuzzer, no_main)]

flex_fuzz::fuzz_target!(flex_fuzz::targets::bounds_edit);
