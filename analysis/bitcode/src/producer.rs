//! Who made a bitcode file: the string of its identification block, such as "LLVM22.1.8".
//!
//! LLVM knows it but names it in few of its messages. The block comes first in every bitcode
//! file, and its form (LLVM Bitcode File Format, sections "Bitstream Format" and
//! "IDENTIFICATION_BLOCK") is the part of the format that must never change.

const END_BLOCK: u64 = 0;
const ENTER_SUBBLOCK: u64 = 1;
const DEFINE_ABBREV: u64 = 2;
const UNABBREV_RECORD: u64 = 3;
const IDENTIFICATION_BLOCK: u64 = 13;
const IDENTIFICATION_STRING: u64 = 1;

/// Bits of a file, least significant bit of each byte first.
struct Bits<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Bits<'_> {
    fn fixed(&mut self, width: u64) -> Option<u64> {
        let mut value = 0;
        for place in 0..width.min(64) {
            let byte = *self.bytes.get(self.at / 8)?;
            value |= u64::from(byte >> (self.at % 8) & 1) << place;
            self.at += 1;
        }
        Some(value)
    }

    fn variable(&mut self, width: u64) -> Option<u64> {
        if !(2..=32).contains(&width) {
            return None;
        }
        let (mut value, mut place) = (0u64, 0u32);
        let more = 1 << (width - 1);
        loop {
            let chunk = self.fixed(width)?;
            value |= (chunk & (more - 1)).checked_shl(place).unwrap_or(0);
            place += width as u32 - 1;
            if chunk & more == 0 {
                return Some(value);
            }
        }
    }
}

/// How an abbreviated record stores one operand.
#[derive(Clone, Copy)]
enum Encoding {
    Literal(u64),
    Fixed(u64),
    Variable(u64),
    Array,
    Char6,
    Blob,
}

fn define_abbreviation(bits: &mut Bits<'_>) -> Option<Vec<Encoding>> {
    let count = bits.variable(5)?;
    let mut encodings = Vec::new();
    for _ in 0..count {
        let literal = bits.fixed(1)? == 1;
        encodings.push(if literal {
            Encoding::Literal(bits.variable(8)?)
        } else {
            match bits.fixed(3)? {
                1 => Encoding::Fixed(bits.variable(5)?),
                2 => Encoding::Variable(bits.variable(5)?),
                3 => Encoding::Array,
                4 => Encoding::Char6,
                5 => Encoding::Blob,
                _ => return None,
            }
        });
    }
    Some(encodings)
}

fn scalar(bits: &mut Bits<'_>, encoding: Encoding) -> Option<u64> {
    match encoding {
        Encoding::Literal(value) => Some(value),
        Encoding::Fixed(width) => bits.fixed(width),
        Encoding::Variable(width) => bits.variable(width),
        Encoding::Char6 => {
            let letters = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
            Some(u64::from(letters[bits.fixed(6)? as usize]))
        }
        Encoding::Array | Encoding::Blob => None,
    }
}

/// Code and operands of an abbreviated record.
fn abbreviated(bits: &mut Bits<'_>, encodings: &[Encoding]) -> Option<Vec<u64>> {
    let mut record = Vec::new();
    let mut rest = encodings.iter();
    while let Some(&encoding) = rest.next() {
        if let Encoding::Array = encoding {
            let element = *rest.next()?;
            let count = bits.variable(6)?;
            if count > bits.bytes.len() as u64 {
                return None;
            }
            for _ in 0..count {
                record.push(scalar(bits, element)?);
            }
        } else {
            record.push(scalar(bits, encoding)?);
        }
    }
    Some(record)
}

/// The producer's name; `None` if the bytes do not begin with an identification block.
pub fn producer(bytes: &[u8]) -> Option<String> {
    let start = match bytes.get(..4)? {
        b"BC\xc0\xde" => 0,
        // A wrapper: magic, version, offset, size, CPU type.
        b"\xde\xc0\x17\x0b" => u32::from_le_bytes(bytes.get(8..12)?.try_into().ok()?) as usize,
        _ => return None,
    };
    let bytes = bytes.get(start..)?;
    let mut bits = Bits { bytes, at: 32 };
    if bits.fixed(2)? != ENTER_SUBBLOCK || bits.variable(8)? != IDENTIFICATION_BLOCK {
        return None;
    }
    let width = bits.variable(4)?;
    // Blocks start aligned to 32 bits, with their length in words.
    bits.at = bits.at.next_multiple_of(32) + 32;
    let mut abbreviations = Vec::new();
    loop {
        let record = match bits.fixed(width)? {
            END_BLOCK | ENTER_SUBBLOCK => return None,
            DEFINE_ABBREV => {
                abbreviations.push(define_abbreviation(&mut bits)?);
                continue;
            }
            UNABBREV_RECORD => {
                let (code, count) = (bits.variable(6)?, bits.variable(6)?);
                let mut record = vec![code];
                for _ in 0..count {
                    record.push(bits.variable(6)?);
                }
                record
            }
            id => {
                let encodings = abbreviations.get(id as usize - 4)?;
                abbreviated(&mut bits, encodings)?
            }
        };
        if let [IDENTIFICATION_STRING, text @ ..] = &record[..] {
            return Some(text.iter().map(|&c| char::from(c as u8)).collect());
        }
    }
}
