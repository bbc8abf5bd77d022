//! How values of the model stand in JSON.

use flex_run::model::{Place, Runner, TestId};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::RecordError;

/// Reads a file that says its version first, and is refused if that is not ours.
pub fn versioned<T: DeserializeOwned>(text: &str, known: u32) -> Result<T, RecordError> {
    #[derive(Deserialize)]
    struct Head {
        version: u32,
    }
    let unreadable = |error: serde_json::Error| RecordError::Unreadable(error.to_string());
    let head: Head = serde_json::from_str(text).map_err(unreadable)?;
    if head.version > known {
        return Err(RecordError::Newer(head.version));
    }
    if head.version < known {
        return Err(RecordError::Older(head.version));
    }
    serde_json::from_str(text).map_err(unreadable)
}

/// A file of ours as text.
pub fn text(file: &impl Serialize) -> String {
    // Every field has a form in JSON: numbers that have none are texts.
    serde_json::to_string(file).unwrap_or_default() + "\n"
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Runner", rename_all = "kebab-case")]
pub enum RunnerJson {
    Cargo,
    Pytest,
}

/// A test is its name and, for cargo, its target.
#[derive(Serialize, Deserialize)]
#[serde(remote = "TestId", untagged)]
pub enum TestIdJson {
    // Tried first: what has a target is a test of cargo.
    Cargo {
        target: String,
        #[serde(rename = "name")]
        path: String,
    },
    Pytest {
        #[serde(rename = "name")]
        node: String,
    },
}

/// A site is its label and its case.
pub mod site_id {
    use flex_run::model::SiteId;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Labelled {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        case: Option<String>,
    }

    pub fn serialize<S: Serializer>(site: &SiteId, s: S) -> Result<S::Ok, S::Error> {
        let (id, case) = (site.label(), site.case.clone());
        Labelled { id, case }.serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<SiteId, D::Error> {
        let Labelled { id, case } = Labelled::deserialize(d)?;
        Ok(SiteId::of_label(&id).with_case(case))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Place")]
pub struct PlaceJson {
    file: String,
    line: u32,
}

/// What runs touched, as a list of touches.
pub mod probe {
    use flex_run::model::{Cause, Place, Probe, Touch};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct TouchJson {
        cause: String,
        what: String,
        seeded: bool,
        count: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    }

    pub fn serialize<S: Serializer>(probe: &Option<Probe>, s: S) -> Result<S::Ok, S::Error> {
        let touches = probe.as_ref().map(|probe| {
            let touches = probe.touches().iter().map(|touch| TouchJson {
                cause: touch.cause.as_str().to_owned(),
                what: touch.what.clone(),
                seeded: touch.seeded,
                count: touch.count,
                file: touch.place.as_ref().map(|place| place.file.clone()),
                line: touch.place.as_ref().map(|place| place.line),
            });
            touches.collect::<Vec<_>>()
        });
        touches.serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Probe>, D::Error> {
        let Some(touches) = Option::<Vec<TouchJson>>::deserialize(d)? else {
            return Ok(None);
        };
        let touches = touches.into_iter().map(|touch| {
            let unknown = || serde::de::Error::custom(format!("unknown cause `{}`", touch.cause));
            Ok(Touch {
                cause: Cause::named(&touch.cause).ok_or_else(unknown)?,
                what: touch.what,
                seeded: touch.seeded,
                count: touch.count,
                place: match (touch.file, touch.line) {
                    (Some(file), Some(line)) => Some(Place::new(file, line)),
                    _ => None,
                },
            })
        });
        touches.collect::<Result<Probe, D::Error>>().map(Some)
    }
}

/// A number, or the name of one that JSON does not know.
#[derive(Debug, Clone, Copy)]
pub struct Float(pub f64);

impl Serialize for Float {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if value.is_finite() => serializer.serialize_f64(value),
            value if value.is_nan() => serializer.serialize_str("nan"),
            value if value > 0.0 => serializer.serialize_str("inf"),
            _ => serializer.serialize_str("-inf"),
        }
    }
}

impl<'de> Deserialize<'de> for Float {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FloatVisitor)
    }
}

struct FloatVisitor;

impl serde::de::Visitor<'_> for FloatVisitor {
    type Value = Float;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E>(self, value: f64) -> Result<Float, E> {
        Ok(Float(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Float, E> {
        Ok(Float(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Float, E> {
        Ok(Float(value as f64))
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Float, E> {
        match name {
            "nan" => Ok(Float(f64::NAN)),
            "inf" => Ok(Float(f64::INFINITY)),
            "-inf" => Ok(Float(f64::NEG_INFINITY)),
            _ => Err(E::custom(format!("`{name}` is not a number"))),
        }
    }
}

pub mod float {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Float;

    pub fn serialize<S: Serializer>(value: &f64, s: S) -> Result<S::Ok, S::Error> {
        Float(*value).serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
        Ok(Float::deserialize(d)?.0)
    }
}

pub mod maybe_float {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Float;

    pub fn serialize<S: Serializer>(value: &Option<f64>, s: S) -> Result<S::Ok, S::Error> {
        value.map(Float).serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
        Ok(Option::<Float>::deserialize(d)?.map(|value| value.0))
    }
}

pub mod floats {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Float;

    pub fn serialize<S: Serializer>(values: &[(u32, f64)], s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(values.iter().map(|(run, value)| (run, Float(*value))))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<(u32, f64)>, D::Error> {
        let values: Vec<(u32, Float)> = Vec::deserialize(d)?;
        Ok(values
            .into_iter()
            .map(|(run, value)| (run, value.0))
            .collect())
    }
}

pub mod site_floats {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Float;

    type Values = Vec<(usize, usize, f64)>;

    pub fn serialize<S: Serializer>(values: &Values, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(
            values
                .iter()
                .map(|(site, series, value)| (site, series, Float(*value))),
        )
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Values, D::Error> {
        let values: Vec<(usize, usize, Float)> = Vec::deserialize(d)?;
        Ok(values
            .into_iter()
            .map(|(site, series, value)| (site, series, value.0))
            .collect())
    }
}
