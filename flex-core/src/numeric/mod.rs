//! Special functions, root finding, linear forms.

pub(crate) mod gamma;
pub(crate) mod linear_form;
pub(crate) mod normal;
pub(crate) mod root;
pub(crate) mod special;
