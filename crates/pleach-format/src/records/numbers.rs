//! Numbers and handles as serde writes them: bit for bit in both forms.
//!
//! In bytes, a number is its four bytes, and a handle two integers. In JSON, numbers that are not finite
//! are texts (`"inf"`, `"-inf"`, `"nan:7fc00000"` with all bits), and a handle is a text (`"12v3"`).

use std::fmt;

use glam::{Mat4, Vec2, Vec3, Vec4};
use pleach::NodeId;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct F32(pub(crate) f32);

pub(crate) type F32x2 = [F32; 2];
pub(crate) type F32x3 = [F32; 3];
pub(crate) type F32x4 = [F32; 4];
pub(crate) type F32x16 = [F32; 16];

pub(crate) fn f32s<const N: usize>(value: impl Into<[f32; N]>) -> [F32; N] {
    value.into().map(F32)
}

pub(crate) fn vec2(value: F32x2) -> Vec2 {
    Vec2::from(value.map(|it| it.0))
}

pub(crate) fn vec3(value: F32x3) -> Vec3 {
    Vec3::from(value.map(|it| it.0))
}

pub(crate) fn vec4(value: F32x4) -> Vec4 {
    Vec4::from(value.map(|it| it.0))
}

pub(crate) fn mat4(value: F32x16) -> Mat4 {
    Mat4::from_cols_array(&value.map(|it| it.0))
}

impl Serialize for F32 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(number) = *self;
        if number.is_finite() || !serializer.is_human_readable() {
            return serializer.serialize_f32(number);
        }
        match number {
            f32::INFINITY => serializer.serialize_str("inf"),
            f32::NEG_INFINITY => serializer.serialize_str("-inf"),
            _ => serializer.serialize_str(&format!("nan:{:08x}", number.to_bits())),
        }
    }
}

impl<'de> Deserialize<'de> for F32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return f32::deserialize(deserializer).map(Self);
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = F32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, \"inf\", \"-inf\" or \"nan:\" and eight hexadecimal digits")
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<F32, E> {
        // The decimals of an f32 are at most nine digits, so rounding twice gives its bits.
        Ok(F32(number as f32))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<F32, E> {
        Ok(F32(number as f32))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<F32, E> {
        Ok(F32(number as f32))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<F32, E> {
        let number = match text {
            "inf" => Some(f32::INFINITY),
            "-inf" => Some(f32::NEG_INFINITY),
            _ => text.strip_prefix("nan:").and_then(|bits| {
                let number = f32::from_bits(u32::from_str_radix(bits, 16).ok()?);
                number.is_nan().then_some(number)
            }),
        };
        number.map(F32).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}

/// A handle, alive or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node(pub(crate) NodeId);

impl Node {
    pub(crate) fn from_parts(slot: u32, generation: u32) -> Option<Self> {
        NodeId::from_bits(u64::from(slot) << 32 | u64::from(generation)).map(Self)
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.collect_str(&self.0);
        }
        (self.0.index() as u32, self.0.generation()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            text.split_once('v')
                .and_then(|(slot, generation)| Some((slot.parse().ok()?, generation.parse().ok()?)))
        } else {
            Some(<(u32, u32)>::deserialize(deserializer)?)
        };
        let node = parts.and_then(|(slot, generation)| Self::from_parts(slot, generation));
        node.ok_or_else(|| de::Error::custom("not a handle: a slot and a generation that is not 0"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_bits_in_json() {
        let mut rng = testkit::Rng::from_env(1);
        let edges = [0, 1, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffff_ffff];
        let random = (0..testkit::Effort::pick(200_000, 20_000_000)).map(|_| rng.next_u32());
        for bits in edges.into_iter().chain(random) {
            let text = serde_json::to_string(&F32(f32::from_bits(bits))).unwrap();
            let back: F32 = serde_json::from_str(&text).unwrap();
            assert_eq!(back.0.to_bits(), bits, "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_numbers_or_handles() {
        for text in ["\"nan:3f800000\"", "\"nan:\"", "\"x\"", "null", "[]"] {
            assert!(serde_json::from_str::<F32>(text).is_err(), "{text}");
        }
        assert_eq!(serde_json::to_string(&Node::from_parts(12, 3)).unwrap(), "\"12v3\"");
        for text in ["\"12v0\"", "\"12\"", "\"v1\"", "\"1v1v1\"", "\"-1v1\"", "12"] {
            assert!(serde_json::from_str::<Node>(text).is_err(), "{text}");
        }
    }
}
