//! The statistical engine of flex.
#![forbid(unsafe_code)]
pub mod bound;
pub mod ceiling;
pub mod confidence;
pub mod gpd;
pub mod gpd_fit;
pub mod guard;
mod posterior;
pub mod race;
pub mod sample;
mod special;
pub mod strategy;
pub mod tail;
mod text;
mod ties;
