//! The code between processes: how values become bytes and bytes become values, by one declaration each.
//!
//! Numbers are little endian, texts and lists have their length before them, variants a tag. What cannot be read, such
//! as bytes that end in the middle of a value, is `None`.

use std::time::Duration;

/// A value that passes between processes.
pub(super) trait Wire: Sized {
    /// Writes the value behind what is there.
    fn write(&self, out: &mut Vec<u8>);

    /// Takes the value from the front of the bytes.
    fn read(bytes: &mut &[u8]) -> Option<Self>;
}

/// Declares structs by their fields, in the order in which they are written.
macro_rules! wire_struct {
    ($($name:ident { $($field:ident),* $(,)? })*) => {$(
        impl Wire for $name {
            fn write(&self, out: &mut Vec<u8>) {
                $(self.$field.write(out);)*
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                Some($name { $($field: Wire::read(bytes)?),* })
            }
        }
    )*};
}

/// Declares enums by the tags of their variants and the names of what these hold.
macro_rules! wire_enum {
    ($($name:ident { $($tag:literal => $variant:ident $(($($held:ident),*))? $({$($field:ident),*})?),* $(,)? })*) => {$(
        impl Wire for $name {
            fn write(&self, out: &mut Vec<u8>) {
                match self {
                    $($name::$variant $(($($held),*))? $({$($field),*})? => {
                        out.push($tag);
                        $($($held.write(out);)*)?
                        $($($field.write(out);)*)?
                    })*
                }
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                let tag = u8::read(bytes)?;
                $(if tag == $tag {
                    $($(let $held = Wire::read(bytes)?;)*)?
                    $($(let $field = Wire::read(bytes)?;)*)?
                    return Some($name::$variant $(($($held),*))? $({$($field),*})?);
                })*
                None
            }
        }
    )*};
}

/// Declares types by another one: how to get there, and how to come back if that is possible.
macro_rules! wire_as {
    ($($name:ident as $other:ty: $there:expr, $back:expr;)*) => {$(
        impl Wire for $name {
            fn write(&self, out: &mut Vec<u8>) {
                let there: fn(&$name) -> $other = $there;
                there(self).write(out);
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                let back: fn($other) -> Option<$name> = $back;
                back(Wire::read(bytes)?)
            }
        }
    )*};
}

pub(super) use {wire_as, wire_enum, wire_struct};

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Wire for $number {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                let (number, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(Self::from_le_bytes(*number))
            }
        }
    )*};
}

numbers!(u8 u32 u64 f64);

wire_as! {
    bool as u8: |flag| u8::from(*flag), |byte| (byte < 2).then_some(byte == 1);
    Duration as u64: |took| took.as_nanos() as u64, |nanos| Some(Duration::from_nanos(nanos));
}

impl Wire for String {
    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u32).write(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let length = u32::read(bytes)? as usize;
        let (text, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some(match bool::read(bytes)? {
            true => Some(T::read(bytes)?),
            false => None,
        })
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u32).write(out);
        for value in self {
            value.write(out);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        // The length is not believed before the values are there.
        let mut values = Vec::new();
        for _ in 0..u32::read(bytes)? {
            values.push(T::read(bytes)?);
        }
        Some(values)
    }
}
