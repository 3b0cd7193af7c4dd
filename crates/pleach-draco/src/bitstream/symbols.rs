//! Arrays of numbers, in one of the two ways that Draco writes them.
//!
//! *Raw*: each number is a symbol of a coder. *Tagged*: the symbol is how many bits the
//! next numbers have, one for each component; the bits stand behind the coder's data.

use crate::bitstream::rans::Symbols;
use crate::bitstream::reader::Reader;
use crate::budget::Room;
use crate::error::Fault;

/// Reads `count` times `components` numbers, and makes of each what it stands for.
pub(crate) fn read<T>(
    reader: &mut Reader<'_>,
    count: usize,
    components: usize,
    room: &mut Room,
    make: impl Fn(u32) -> T,
) -> Result<Vec<T>, Fault> {
    let mut numbers = room.empty(count.saturating_mul(components))?;
    if numbers.capacity() == 0 {
        return Ok(numbers);
    }
    match reader.u8()? {
        0 => {
            let mut lengths = Symbols::read(reader, 12, room)?;
            let mut bits = reader.bits();
            for _ in 0..count {
                let length = lengths.next();
                if length > 32 {
                    return Err(Fault::Broken("a number has more than 32 bits"));
                }
                for _ in 0..components {
                    numbers.push(make(bits.read(length)?));
                }
            }
            reader.skip_bits(&bits)?;
            lengths.give(room);
        }
        1 => {
            let length = u32::from(reader.u8()?);
            if !(1..=18).contains(&length) {
                return Err(Fault::Broken("symbols have no bits, or more than 18"));
            }
            let mut symbols = Symbols::read(reader, (3 * length / 2).clamp(12, 20), room)?;
            numbers.extend((0..count * components).map(|_| make(symbols.next())));
            symbols.give(room);
        }
        way => return Err(Fault::Unknown("numbers written in way", way.into())),
    }
    Ok(numbers)
}
