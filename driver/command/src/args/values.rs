//! Values of options: time spans, amounts of memory, bytes and ranges of bytes.

use plat_allocator::Region;
use plat_engine::config::Pin;
use plat_memory::model::policy::Way;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Whose points-to sets segments are made of.
///
/// # Errors
/// With the known names.
pub fn unify(name: &str) -> Result<plat_segments::Unify, String> {
    let names = plat_segments::Unify::ALL.map(|(name, _)| name).join(", ");
    plat_segments::Unify::named(name).ok_or_else(|| format!("known are {names}"))
}

/// A switch: true or false, also as 1 or 0.
///
/// # Errors
/// With what is accepted.
pub fn switch(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("a switch is true or false".to_string()),
    }
}

/// Whether tests are written for paths that a limit cuts off: a switch, or KLEE's names for its
/// values.
///
/// # Errors
/// With what is accepted.
pub fn dumped(text: &str) -> Result<bool, String> {
    match text {
        "all" | "unreached" => Ok(true),
        "none" => Ok(false),
        _ => switch(text),
    }
}

/// A share of a whole.
///
/// # Errors
/// With what is accepted.
pub fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1".to_string()),
    }
}

/// A bound on a number; `None` is no bound.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Bound(pub Option<u64>);

/// A bound: a number, or `unlimited`.
///
/// # Errors
/// With what is accepted.
pub fn bound(text: &str) -> Result<Bound, String> {
    match text {
        "unlimited" => Ok(Bound(None)),
        _ => match text.parse() {
            Ok(most) => Ok(Bound(Some(most))),
            Err(_) => Err("a bound is a number, or unlimited".to_string()),
        },
    }
}

/// By how many calls allocation contexts are told apart, if they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContextDepth(pub Option<u8>);

/// The most calls that tell contexts apart.
const DEEPEST: u8 = 32;

/// A number of calls, or `off`.
///
/// # Errors
/// With what is accepted.
pub fn context_depth(text: &str) -> Result<ContextDepth, String> {
    match (text, text.parse()) {
        ("off", _) => Ok(ContextDepth(None)),
        (_, Ok(calls)) if calls <= DEEPEST => Ok(ContextDepth(Some(calls))),
        _ => Err(format!(
            "a depth is a number of calls up to {DEEPEST}, or off"
        )),
    }
}

/// A time span: `90s`, `1h10min`, `250ms`, or a plain number of seconds such as `3.5`.
///
/// # Errors
/// With what is accepted.
pub fn span(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a time span such as 90s, 1h10min or 3.5");
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|_| wrong());
    }
    let mut total = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .ok_or_else(wrong)?;
        let amount: f64 = rest[..digits].parse().map_err(|_| wrong())?;
        rest = &rest[digits..];
        let letters = rest
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        let unit = match &rest[..letters] {
            "d" => 86_400.0,
            "h" => 3600.0,
            "min" | "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" => 1e-6,
            "ns" => 1e-9,
            _ => return Err(wrong()),
        };
        total += amount * unit;
        rest = &rest[letters..];
    }
    if text.is_empty() {
        return Err(wrong());
    }
    Duration::try_from_secs_f64(total).map_err(|_| wrong())
}

/// A time of day: seconds since 1970, or `now`.
///
/// # Errors
/// With what is accepted.
pub fn start_time(text: &str) -> Result<i64, String> {
    // Up to the year 36,000: nothing a clock can count overflows.
    const LATEST: i64 = 1 << 40;
    if text == "now" {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        // The next whole second: what was made before is older.
        return Ok(now.map_or(0, |now| now.as_secs() as i64 + 1));
    }
    match text.parse() {
        Ok(seconds) if (0..LATEST).contains(&seconds) => Ok(seconds),
        _ => Err("a time is a number of seconds since 1970, or now".to_string()),
    }
}

/// An amount of memory in bytes: a plain number counts MiB (KLEE's unit), else `512K`, `2000M`,
/// `2G`, with or without `iB` or `B`.
///
/// # Errors
/// With what is accepted.
pub fn memory(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not an amount of memory such as 2000 (MiB), 512K or 2G");
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let amount: u64 = text[..digits].parse().map_err(|_| wrong())?;
    let shift = match text[digits..].trim_end_matches('B').trim_end_matches('i') {
        "" | "M" | "m" => 20,
        "K" | "k" => 10,
        "G" | "g" => 30,
        _ => return Err(wrong()),
    };
    amount.checked_mul(1 << shift).ok_or_else(wrong)
}

/// One byte: a character of ASCII, or `\xNN`.
///
/// # Errors
/// With what is accepted.
pub fn byte(text: &str) -> Result<u8, String> {
    let hex = text
        .strip_prefix("\\x")
        .or_else(|| text.strip_prefix("0x"))
        .filter(|digits| digits.len() == 2);
    match (text.as_bytes(), hex) {
        ([byte], _) => Ok(*byte),
        (_, Some(digits)) => u8::from_str_radix(digits, 16)
            .map_err(|_| format!("`{text}` is not a byte such as A or \\x41")),
        _ => Err(format!("`{text}` is not a byte such as A or \\x41")),
    }
}

/// A range of bytes, both ends included: `A..z`, `\x01..\x7f`.
///
/// # Errors
/// With what is accepted.
pub fn byte_range(text: &str) -> Result<(u8, u8), String> {
    let wrong = || format!("`{text}` is not a range of bytes such as A..z");
    let middle = text
        .get(1..)
        .and_then(|rest| rest.find(".."))
        .ok_or_else(wrong)?
        + 1;
    let (low, high) = (byte(&text[..middle])?, byte(&text[middle + 2..])?);
    if low > high {
        return Err(format!("`{text}` is an empty range of bytes"));
    }
    Ok((low, high))
}

/// The size and perhaps the base of a region of addresses: `heap=64G`, `stack=1G@0x80000000000`.
///
/// # Errors
/// With what is accepted.
pub fn region(text: &str) -> Result<(Region, u64, Option<u64>), String> {
    let wrong = || format!("`{text}` is not a region such as heap=64G or stack=1G@0x80000000000");
    let (name, bounds) = text.split_once('=').ok_or_else(wrong)?;
    let region = Region::ALL.into_iter().find(|region| region.name() == name);
    let (size, base) = match bounds.split_once('@') {
        Some((size, base)) => (size, Some(base)),
        None => (bounds, None),
    };
    let base = base.map(|base| match base.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => base.parse(),
    });
    let base = base.transpose().map_err(|_| wrong())?;
    Ok((region.ok_or_else(wrong)?, memory(size)?, base))
}

/// `NAME=FILE`, both not empty.
///
/// # Errors
/// With what is accepted.
pub fn name_and_file(text: &str) -> Result<(String, std::path::PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok((name.to_string(), file.into()))
        }
        _ => Err(format!("`{text}` is not of the form NAME=FILE")),
    }
}

/// How pointers at a line are followed: `file.c:123=merge`.
///
/// # Errors
/// With the form, or the known choices.
pub fn pin(text: &str) -> Result<Pin, String> {
    let parts = text.rsplit_once('=').and_then(|(place, choice)| {
        let (file, line) = place.rsplit_once(':')?;
        let line = line.parse().ok().filter(|&line| line > 0)?;
        (!file.is_empty()).then_some((file, line, choice))
    });
    let Some((file, line, choice)) = parts else {
        return Err(format!("`{text}` is not of the form FILE:LINE=CHOICE"));
    };
    let Some(way) = Way::named(choice) else {
        let known = Way::ALL.map(|(name, _)| name).join(", ");
        return Err(format!("unknown choice `{choice}`; known are {known}"));
    };
    Ok(Pin {
        file: file.to_string(),
        line,
        way,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        let seconds = |text| span(text).map(|span| span.as_secs_f64());
        assert_eq!(seconds("90s"), Ok(90.0));
        assert_eq!(seconds("1h10min"), Ok(4200.0));
        assert_eq!(seconds("3.5"), Ok(3.5));
        assert_eq!(seconds("1min2s500ms"), Ok(62.5));
        for wrong in ["", "s", "1x", "10min5", "-3", "1e400", "1..2s"] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn amounts_of_memory() {
        assert_eq!(memory("2000"), Ok(2000 << 20));
        assert_eq!(memory("512K"), Ok(512 << 10));
        assert_eq!(memory("2GiB"), Ok(2 << 30));
        assert!(memory("lots").is_err());
        assert!(memory("99999999999999999").is_err());
    }

    #[test]
    fn regions() {
        assert_eq!(region("heap=2G"), Ok((Region::Heap, 2 << 30, None)));
        let stack = region("stack=1M@0x10000");
        assert_eq!(stack, Ok((Region::Stack, 1 << 20, Some(0x10000))));
        for wrong in ["heap", "pile=1G", "heap=much", "heap=1G@", "heap=1G@0xg"] {
            assert!(region(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bytes_and_ranges() {
        assert_eq!(byte_range("A..z"), Ok((b'A', b'z')));
        assert_eq!(byte_range("\\x01..\\x7f"), Ok((1, 127)));
        assert_eq!(
            byte_range("-.././"),
            Err("`/./` is not a byte such as A or \\x41".into())
        );
        assert!(byte_range("z..A").is_err());
        assert!(byte_range("A").is_err());
        assert!(byte_range("").is_err());
        assert_eq!(byte("?"), Ok(b'?'));
        assert!(byte("ab").is_err());
        assert!(name_and_file("A=x.txt").is_ok());
        assert!(name_and_file("=x").is_err());
    }

    #[test]
    fn pins() {
        let one = pin("src/symtab.c:123=merge").expect("it has the form");
        assert_eq!(
            (one.file.as_str(), one.line, one.way),
            ("src/symtab.c", 123, Way::Merge)
        );
        for wrong in [
            "symtab.c=merge",
            ":3=fork",
            "a.c:0=fork",
            "a.c:3",
            "a.c:3=join",
        ] {
            assert!(pin(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn depths_of_contexts() {
        assert_eq!(context_depth("0"), Ok(ContextDepth(Some(0))));
        assert_eq!(context_depth("off"), Ok(ContextDepth(None)));
        assert!(context_depth("33").is_err() && context_depth("deep").is_err());
    }
}
