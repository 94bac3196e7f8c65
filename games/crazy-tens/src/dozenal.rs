//! M18, base conversion: whole numbers in base twelve, with the digits `0-9 A B`.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The base of dozenal numbers.
pub const DOZENAL_BASE: u8 = 12;
/// The base of decimal numbers.
pub const DECIMAL_BASE: u8 = 10;

const DIGITS: &[u8; 12] = b"0123456789AB";
/// A sign, and the 18 digits of 2⁶³.
const TEXT_BYTES_MAX: usize = 19;

/// Why a text is no dozenal number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidNumberFormat {
    /// Nothing, or nothing but a sign.
    #[error("there is no digit")]
    Empty,
    /// Something that is no digit.
    #[error("{0:?} is no dozenal digit")]
    Digit(char),
    /// A number outside the range of 64 bits.
    #[error("the number does not fit into 64 bits")]
    TooLarge,
}

/// `decimalToDozenal`: the canonical text of a number.
pub fn decimal_to_dozenal(number: i64) -> String {
    Dozenal(number).to_string()
}

/// `dozenalToDecimal`: the number of a text in any accepted spelling.
pub fn dozenal_to_decimal(text: &str) -> Result<i64, InvalidNumberFormat> {
    let (is_negative, digits) = read(text)?;
    // Towards the sign from the start: the lowest number has no positive counterpart.
    let base = i64::from(DOZENAL_BASE);
    digits
        .iter()
        .try_fold(0_i64, |number, digit| {
            let digit = i64::from(*digit);
            number.checked_mul(base)?.checked_add(if is_negative { -digit } else { digit })
        })
        .ok_or(InvalidNumberFormat::TooLarge)
}

/// `normalizeDozenal`: the canonical spelling of a dozenal number of any length: `0-9 A B`, no `+`,
/// no leading zeros, no `-0`.
///
/// Blanks around it, lower case, and the digit pairs `X E`, `T E` and `↊ ↋` are understood.
pub fn normalize_dozenal(text: &str) -> Result<String, InvalidNumberFormat> {
    let (is_negative, digits) = read(text)?;
    let sign = if is_negative { "-" } else { "" };
    let digits = digits.iter().map(|digit| char::from(DIGITS[usize::from(*digit)]));
    Ok(sign.chars().chain(digits).collect())
}

/// `isValidDozenal`: would `normalizeDozenal` accept it?
pub fn is_valid_dozenal(text: &str) -> bool {
    read(text).is_ok()
}

/// Whether there is a minus, and the values of the digits without leading zeros.
fn read(text: &str) -> Result<(bool, Vec<u8>), InvalidNumberFormat> {
    let text = text.trim();
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.is_empty() {
        return Err(InvalidNumberFormat::Empty);
    }
    let digits = unsigned.chars().map(digit_value).collect::<Result<Vec<u8>, _>>()?;
    match digits.iter().position(|digit| *digit != 0) {
        Some(first) => Ok((text.starts_with('-'), digits[first..].to_vec())),
        None => Ok((false, vec![0])),
    }
}

fn digit_value(symbol: char) -> Result<u8, InvalidNumberFormat> {
    match symbol {
        '0'..='9' => Ok(symbol as u8 - b'0'),
        'A' | 'a' | 'X' | 'x' | 'T' | 't' | '↊' => Ok(10),
        'B' | 'b' | 'E' | 'e' | '↋' => Ok(11),
        _ => Err(InvalidNumberFormat::Digit(symbol)),
    }
}

/// A number that shows and serialises as its canonical dozenal text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dozenal(pub i64);

impl Dozenal {
    /// Writes the digits into the end of `buffer`.
    fn write(self, buffer: &mut [u8; TEXT_BYTES_MAX]) -> &str {
        let mut start = TEXT_BYTES_MAX;
        let mut rest = self.0.unsigned_abs();
        loop {
            let [digit, ..] = (rest % u64::from(DOZENAL_BASE)).to_le_bytes();
            start -= 1;
            buffer[start] = DIGITS[usize::from(digit)];
            rest /= u64::from(DOZENAL_BASE);
            if rest == 0 {
                break;
            }
        }
        if self.0 < 0 {
            start -= 1;
            buffer[start] = b'-';
        }
        str::from_utf8(&buffer[start..]).unwrap_or_default()
    }
}

impl fmt::Display for Dozenal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.write(&mut [0; TEXT_BYTES_MAX]))
    }
}

impl Serialize for Dozenal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.write(&mut [0; TEXT_BYTES_MAX]))
    }
}

impl<'de> Deserialize<'de> for Dozenal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        dozenal_to_decimal(&text).map(Dozenal).map_err(D::Error::custom)
    }
}
