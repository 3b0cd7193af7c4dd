//! `Serialize` and `Deserialize` for handles, as the number of `to_bits`.

use ::serde::de::{Deserialize, Deserializer, Error, Unexpected};
use ::serde::ser::{Serialize, Serializer};

use crate::NodeId;

impl Serialize for NodeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.to_bits())
    }
}

impl<'de> Deserialize<'de> for NodeId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bits = u64::deserialize(deserializer)?;
        let expected = &"the bits of a node handle, whose lower 32 bits are not zero";
        Self::from_bits(bits)
            .ok_or_else(|| D::Error::invalid_value(Unexpected::Unsigned(bits), expected))
    }
}
