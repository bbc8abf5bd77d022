//! What the macros say about mistakes. Odd uses that are none are in `tests/valid`, which is built with all other tests:
//! trybuild would build everything that they link once more, and twice.
//!
//! After a change of a message, `TRYBUILD=overwrite cargo test -p flex-harness --test compile_fail` writes the new ones.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
