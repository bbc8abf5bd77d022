//! The statistical engine of flex.
#![forbid(unsafe_code)]
pub mod bound;
pub mod bounds_file;
pub mod calibration;
pub mod ceiling;
pub mod confidence;
pub mod declared;
pub mod gpd;
pub mod gpd_fit;
pub mod guard;
mod posterior;
pub mod race;
mod root;
pub mod round;
pub mod sample;
pub mod seed;
mod special;
pub mod strategy;
pub mod tail;
mod text;
mod ties;
