//! What the macros say about mistakes, and odd uses that are none.
//!
//! After a change of a message, `TRYBUILD=overwrite cargo test -p flex-harness --test compile_fail` writes the new ones.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

#[test]
fn odd_uses_compile() {
    trybuild::TestCases::new().pass("tests/valid/*.rs");
}
