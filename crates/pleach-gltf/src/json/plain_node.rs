//! A fast path for plain nodes: parses the most common members faster than serde does.
//!
//! The result of serde is the definition. This parser accepts only the members that most nodes have
//! and gives up on everything else: an unknown member, an escape, a duplicate member, an invalid
//! number. Then serde parses the node or reports the fault. The parser can therefore only be wrong
//! in what it accepts, and tests compare that with serde, bit for bit.
//!
//! Large files consist mostly of such nodes: parsing them with serde took half of the time of a
//! load.

use std::borrow::Cow;

use super::{Node, Text, UInt};

/// Parses the plain node at offset `at` into a default `node` and returns the offset of its end.
/// Returns `None` if the node is not plain; `node` is then partially filled.
///
/// Writes in place, because returning a node would copy it.
pub(super) fn parse<'a>(text: &'a str, at: usize, node: &mut Node<'a>) -> Option<usize> {
    let mut reader = Reader { text, bytes: text.as_bytes(), at };
    let mut has_children = false;
    reader.expect(b'{')?;
    let mut is_first = true;
    while !reader.end_or_next(b'}', is_first)? {
        is_first = false;
        let key = reader.string()?;
        reader.expect(b':')?;
        match key {
            "name" if node.name.is_none() => {
                reader.skip_space();
                node.name = Some(Text(Cow::Borrowed(reader.string()?)));
            }
            "children" if !has_children => {
                has_children = true;
                node.children = reader.uints()?.into_boxed_slice();
            }
            "translation" if node.translation.is_none() => {
                node.translation = Some(reader.floats()?);
            }
            "rotation" if node.rotation.is_none() => node.rotation = Some(reader.floats()?),
            "scale" if node.scale.is_none() => node.scale = Some(reader.floats()?),
            "mesh" if node.mesh.is_none() => node.mesh = Some(reader.uint()?),
            "skin" if node.skin.is_none() => node.skin = Some(reader.uint()?),
            "camera" if node.camera.is_none() => node.camera = Some(reader.uint()?),
            _ => return None,
        }
    }
    Some(reader.at)
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        self.skip_space();
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    /// Returns `true` after the closing `bracket`; otherwise advances to the next entry, past a
    /// comma unless `is_first`.
    #[inline]
    fn end_or_next(&mut self, bracket: u8, is_first: bool) -> Option<bool> {
        self.skip_space();
        if self.peek() == Some(bracket) {
            self.at += 1;
            return Some(true);
        }
        if !is_first {
            self.expect(b',')?;
            self.skip_space();
        }
        Some(false)
    }

    /// Parses a string without escapes.
    #[inline]
    fn string(&mut self) -> Option<&'a str> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let start = self.at + 1;
        let rest = self.bytes.get(start..)?;
        let length = rest.iter().position(|&byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))?;
        if rest[length] != b'"' {
            return None;
        }
        self.at = start + length + 1;
        self.text.get(start..start + length)
    }

    /// Parses an unsigned integer.
    #[inline]
    fn uint(&mut self) -> Option<UInt> {
        self.skip_space();
        let start = self.at;
        let mut number = 0u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        let digits = self.at - start;
        let is_plain = (1..=18).contains(&digits) && (digits == 1 || self.bytes[start] != b'0');
        let is_float = matches!(self.peek(), Some(b'.' | b'e' | b'E'));
        (is_plain && !is_float).then(|| UInt::new(number))
    }

    fn uints(&mut self) -> Option<Vec<UInt>> {
        self.expect(b'[')?;
        let mut list = Vec::new();
        while !self.end_or_next(b']', list.is_empty())? {
            list.push(self.uint()?);
        }
        Some(list)
    }

    #[inline]
    fn floats<const N: usize>(&mut self) -> Option<[f32; N]> {
        self.expect(b'[')?;
        let mut numbers = [0.0; N];
        for (index, number) in numbers.iter_mut().enumerate() {
            if index > 0 {
                self.expect(b',')?;
            }
            self.skip_space();
            *number = self.float()?;
        }
        self.expect(b']')?;
        Some(numbers)
    }

    /// Parses a number, rounded once to `f32`.
    #[inline]
    fn float(&mut self) -> Option<f32> {
        let start = self.at;
        let is_negative = self.peek() == Some(b'-');
        self.at += usize::from(is_negative);
        let first = self.at;
        let mut mantissa = 0u64;
        self.digits_bytewise(&mut mantissa);
        let mut digits = self.at - first;
        if digits == 0 || (digits > 1 && self.bytes[first] == b'0') {
            return None;
        }
        let mut power = 0i32;
        if self.peek() == Some(b'.') {
            self.at += 1;
            let first = self.at;
            self.digits(&mut mantissa);
            let more = self.at - first;
            if more == 0 {
                return None;
            }
            digits += more;
            power = -i32::try_from(more).ok()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            let is_small = self.peek() == Some(b'-');
            self.at += usize::from(matches!(self.peek(), Some(b'-' | b'+')));
            let first = self.at;
            let mut exponent = 0u64;
            self.digits_bytewise(&mut exponent);
            if !(1..=4).contains(&(self.at - first)) {
                return None;
            }
            // Four digits fit in an i32.
            power += if is_small { -(exponent as i32) } else { exponent as i32 };
        }
        let exact = (digits <= 18).then(|| round_to_f32(mantissa, power)).flatten();
        let value = match exact {
            Some(value) if is_negative => -value,
            Some(value) => value,
            None => {
                self.text.get(start..self.at)?.parse().ok().filter(|it: &f32| it.is_finite())?
            }
        };
        Some(value)
    }

    /// Parses digits, eight at a time while at least eight bytes remain.
    #[inline]
    fn digits(&mut self, number: &mut u64) {
        while let Some(word) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<8>) {
            let (count, value) = leading_digits(u64::from_le_bytes(*word));
            *number = number.wrapping_mul(POWERS_OF_TEN[count]).wrapping_add(value);
            self.at += count;
            if count < 8 {
                return;
            }
        }
        self.digits_bytewise(number);
    }

    /// Parses digits, one at a time.
    #[inline]
    fn digits_bytewise(&mut self, number: &mut u64) {
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            *number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
    }
}

const POWERS_OF_TEN: [u64; 9] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Counts the leading digits of eight characters and returns the count and their value.
#[inline]
fn leading_digits(word: u64) -> (usize, u64) {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    // Digits become 0 to 9; other bytes have the high bit set, or get it by adding 0x76. Carries
    // go to later characters, which do not matter.
    let values = word ^ (ONES * 0x30);
    let others = (values.wrapping_add(ONES * 0x76) | values) & (ONES << 7);
    let count = (others.trailing_zeros() / 8).min(8) as usize;
    if count == 0 {
        return (0, 0);
    }
    // Pads with leading zeros, then combines neighbours three times.
    let eight = values << (64 - 8 * count);
    let pairs = (eight & (ONES * 0x0f)).wrapping_mul(10 * 256 + 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 * 65_536 + 1) >> 16;
    let all = (fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 * 4_294_967_296 + 1) >> 32;
    (count, all)
}

/// Computes `mantissa` times ten to the `power`, correctly rounded, or returns `None` if `f64` does
/// not suffice.
///
/// Below 2^53 the mantissa is exact as an f64. The power of ten and the product each have an error
/// of at most half an ulp, so the error of the f64 is less than two ulps. Rounding it to f32 equals
/// rounding the exact number, unless the f64 is that close to the midpoint of two f32s.
#[inline]
fn round_to_f32(mantissa: u64, power: i32) -> Option<f32> {
    const POWERS: [f64; 45] = [
        1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10,
        1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6,
        1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
        1e22,
    ];
    if mantissa >= 1 << 53 {
        return None;
    }
    let value = mantissa as f64 * *POWERS.get(usize::try_from(power + 22).ok()?)?;
    // The 29 mantissa bits that a normal f32 does not have.
    let rest = value.to_bits() & 0x1fff_ffff;
    let is_halfway = (0x0fff_fffc..=0x1000_0004).contains(&rest);
    let is_usual = value == 0.0 || (f64::from(f32::MIN_POSITIVE)..1e38).contains(&value);
    (is_usual && !is_halfway).then_some(value as f32)
}

#[cfg(test)]
mod tests {
    use testkit::Rng;

    use super::*;

    fn parse_float(text: &str) -> Option<f32> {
        let mut reader = Reader { text, bytes: text.as_bytes(), at: 0 };
        let value = reader.float()?;
        (reader.at == text.len()).then_some(value)
    }

    #[test]
    fn leading_digits_are_counted_and_read() {
        for text in [
            "",
            "7",
            "12,45678",
            "0000000",
            "00000001",
            "12345678",
            "99999999",
            "1234567e",
            "x2345678",
            "1\u{e9}23456",
        ] {
            let mut bytes = *b"        ";
            bytes[..text.len()].copy_from_slice(text.as_bytes());
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            let expected = (digits.len(), digits.parse().unwrap_or(0));
            assert_eq!(leading_digits(u64::from_le_bytes(bytes)), expected, "{text}");
        }
        for byte in 0..=255u8 {
            let word = u64::from_le_bytes([b'1', b'2', byte, b'4', b'5', b'6', b'7', b'8']);
            let is_digit = byte.is_ascii_digit();
            let expected =
                if is_digit { 12_045_678 + 100_000 * u64::from(byte - b'0') } else { 12 };
            assert_eq!(leading_digits(word), (if is_digit { 8 } else { 2 }, expected), "{byte}");
        }
    }

    #[test]
    fn numbers_equal_those_of_serde() {
        let seed = 11u64;
        let mut random = Rng::new(seed);
        let mut next = || random.next_u32();
        let check = |text: &str| {
            let serde = serde_json::from_str::<f32>(text).ok();
            // serde_json rounds integers below `i64::MIN` twice: to f64, then to f32.
            let is_integer = text.strip_prefix('-').is_some_and(|it| it.parse::<u64>().is_ok());
            if is_integer && text.parse::<i64>().is_err() {
                assert!(parse_float(text).is_none_or(|ours| text.parse() == Ok(ours)), "{text}");
            } else if let Some(ours) = parse_float(text) {
                assert_eq!(Some(ours.to_bits()), serde.map(f32::to_bits), "seed {seed}: {text}");
            }
        };
        for _ in 0..60_000 {
            let (a, b, c) = (next(), next(), next());
            let value = f32::from_bits(a);
            if value.is_finite() {
                check(&value.to_string());
                check(&format!("{value:?}"));
                check(&format!("{value:e}"));
                // The midpoint of two f32s, and numbers close to it.
                let half = f64::from(value) + f64::from(f32::from_bits(a ^ 1));
                check(&format!("{}", half / 2.0));
            }
            let double = f64::from_bits(u64::from(b) << 32 | u64::from(c));
            if double.is_finite() && double.abs() < 1e30 && double.abs() > 1e-30 {
                check(&format!("{double}"));
            }
            check(&format!("{}.{}", a % 1000, b));
            check(&format!("-{}e{}", a % 100_000, b as i32 % 40));
            check(&format!("{}.{}e-{}", a % 10, c, b % 50));
        }
        for text in [
            "0",
            "-0",
            "-0.0",
            "1e5",
            "1E+5",
            "1e-45",
            "1e-46",
            "3.4028235e38",
            "3.4028236e38",
            "1e39",
            "01",
            "1.",
            ".5",
            "+1",
            "-",
            "",
            "1e",
            "1e+",
            "inf",
            "NaN",
            "1e99999",
            "16777217",
            "16777216.9999999",
            "9007199254740993",
            "123456789012345678901234567890",
            "0.000000000000000000000000000000000001",
            "1.00000005960464477539062",
            "1.00000005960464477539063",
            "8388608.5",
            "00",
            "1e0000000001",
        ] {
            check(text);
            if serde_json::from_str::<f32>(text).is_err() {
                assert_eq!(parse_float(text), None, "{text}");
            }
        }
    }

    #[test]
    fn nodes_equal_those_of_serde_or_are_left_to_it() {
        let plain = [
            "{}",
            "{ }",
            r#"{"name":"a"}"#,
            r#" {"name" : "❤", "mesh":0 ,"children":[ 1,2 ]} "#,
            r#"{"translation":[1,2.5,-3e-2],"rotation":[0,0,0,1],"scale":[1,1,1],"skin":7,"camera":12}"#,
            r#"{"children":[]}"#,
        ];
        for text in plain {
            let (mut ours, serde) = (Node::default(), serde_json::from_str::<Node<'_>>(text));
            let start = text.len() - text.trim_start().len();
            assert_eq!(parse(text, start, &mut ours), Some(text.trim_end().len()));
            assert_eq!(format!("{ours:?}"), format!("{:?}", serde.unwrap()), "{text}");
        }
        let others = [
            "",
            "{",
            "}",
            "{}x",
            "{,}",
            r#"{"name":"a",}"#,
            r#"{"name":"a" "mesh":1}"#,
            r#"{"name":"\n"}"#,
            r#"{"mesh":1,"mesh":1}"#,
            r#"{"children":[],"children":[]}"#,
            r#"{"mesh":01}"#,
            r#"{"mesh":1.0}"#,
            r#"{"mesh":-1}"#,
            r#"{"mesh":null}"#,
            r#"{"mesh":1e2}"#,
            r#"{"scale":[1,1]}"#,
            r#"{"scale":[1,1,1,1]}"#,
            r#"{"scale":[1,1,]}"#,
            r#"{"translation":[1,2,1e99]}"#,
            r#"{"extras":{}}"#,
            r#"{"children":[1,]}"#,
            r#"{"children":[99999999999999999999]}"#,
            "{\"name\":\"a\tb\"}",
            r#"{"name":"a}"#,
        ];
        for text in others {
            let end = parse(text, 0, &mut Node::default());
            assert!(end.is_none() || end != Some(text.len()), "{text}");
        }
    }
}
