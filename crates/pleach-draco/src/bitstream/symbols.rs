//! Arrays of symbols, in one of the two schemes of Draco.
//!
//! *Raw*: each value is an rANS symbol. *Tagged*: the rANS symbol (the tag) is the bit length of
//! the next values, one per component; their bits follow the rANS data.

use super::rans::RansSymbolDecoder;
use super::reader::Reader;
use crate::Error;
use crate::budget::Budget;

/// Draco's numbers of symbol schemes.
const TAGGED: u8 = 0;
const RAW: u8 = 1;

/// Decodes `count` times `components` symbols and maps each of them.
pub(crate) fn decode<T>(
    reader: &mut Reader<'_>,
    count: usize,
    components: usize,
    budget: &mut Budget,
    map: impl Fn(u32) -> T,
) -> Result<Vec<T>, Error> {
    let mut values = budget.vec_with_capacity(count.saturating_mul(components))?;
    if values.capacity() == 0 {
        return Ok(values);
    }
    match reader.u8()? {
        TAGGED => {
            let mut tags = RansSymbolDecoder::read(reader, 12, budget)?;
            let mut bits = reader.bit_reader();
            for _ in 0..count {
                let bit_length = tags.next();
                if bit_length > 32 {
                    return Err(Error::Malformed("a tagged symbol has more than 32 bits"));
                }
                for _ in 0..components {
                    values.push(map(bits.read(bit_length)?));
                }
            }
            reader.skip_past(&bits)?;
            tags.release(budget);
        }
        RAW => {
            let max_bit_length = u32::from(reader.u8()?);
            if !(1..=18).contains(&max_bit_length) {
                return Err(Error::Malformed("the bit length of raw symbols is not 1 to 18"));
            }
            let precision_bits = (3 * max_bit_length / 2).clamp(12, 20);
            let mut symbols = RansSymbolDecoder::read(reader, precision_bits, budget)?;
            values.extend((0..count * components).map(|_| map(symbols.next())));
            symbols.release(budget);
        }
        scheme => return Err(Error::Unsupported { field: "symbol scheme", value: scheme.into() }),
    }
    Ok(values)
}
