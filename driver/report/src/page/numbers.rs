//! Numbers for people.

use crate::model::Share;

/// A count with its thousands apart.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A count in three digits or so: 12.3 k.
pub fn brief(number: f64) -> String {
    const STEPS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let step = STEPS.iter().find(|(size, _)| number.abs() >= *size);
    match step {
        Some((size, name)) => format!("{}\u{202f}{name}", three(number / size)),
        None => three(number),
    }
}

/// Bytes.
pub fn bytes(number: f64) -> String {
    const STEPS: [(f64, &str); 4] = [
        (1024.0 * 1024.0 * 1024.0, "GiB"),
        (1024.0 * 1024.0, "MiB"),
        (1024.0, "KiB"),
        (1.0, "B"),
    ];
    let step = STEPS.iter().find(|(size, _)| number.abs() >= *size);
    let (size, name) = step.unwrap_or(&STEPS[3]);
    format!("{}\u{202f}{name}", three(number / size))
}

/// A span of time.
pub fn seconds(number: f64) -> String {
    match number {
        it if it >= 5400.0 => {
            let minutes = (it / 60.0).round() as u64;
            format!("{}\u{202f}h {:02}\u{202f}min", minutes / 60, minutes % 60)
        }
        it if it >= 90.0 => {
            let seconds = it.round() as u64;
            format!("{}\u{202f}min {:02}\u{202f}s", seconds / 60, seconds % 60)
        }
        it if it >= 1.0 || it == 0.0 => format!("{}\u{202f}s", three(it)),
        it if it >= 1e-3 => format!("{}\u{202f}ms", three(it * 1e3)),
        it => format!("{}\u{202f}\u{b5}s", three(it * 1e6)),
    }
}

/// In percent; a dash if it is not known.
pub fn percent(share: Share) -> String {
    share
        .percent()
        .map_or("\u{2013}".to_string(), |it| format!("{it:.1}\u{202f}%"))
}

/// Three digits, without zeros behind the point.
fn three(number: f64) -> String {
    let text = match number.abs() {
        it if it >= 100.0 => return format!("{number:.0}"),
        it if it >= 10.0 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    };
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let plain = |text: String| text.replace('\u{202f}', "_");
        assert_eq!(plain(count(0)), "0");
        assert_eq!(plain(count(1_234_567)), "1_234_567");
        assert_eq!(plain(brief(999.0)), "999");
        assert_eq!(plain(brief(12_345.0)), "12.3_k");
        assert_eq!(plain(bytes(1536.0)), "1.5_KiB");
        assert_eq!(plain(bytes(0.0)), "0_B");
        assert_eq!(plain(seconds(0.0012)), "1.2_ms");
        assert_eq!(plain(seconds(61.0)), "61_s");
        assert_eq!(plain(seconds(125.0)), "2_min 05_s");
        assert_eq!(plain(seconds(7260.0)), "2_h 01_min");
        assert_eq!(plain(percent(Share { part: 17, all: 18 })), "94.4_%");
        assert_eq!(percent(Share::default()), "\u{2013}");
    }
}
