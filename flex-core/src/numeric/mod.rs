//! Special functions and root finding.

pub(crate) mod gamma;
pub(crate) mod normal;
pub(crate) mod root;
pub(crate) mod special;
