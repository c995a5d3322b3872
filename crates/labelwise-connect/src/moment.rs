//! Times of other tools, as microseconds since 1970, UTC.

/// A time as ISO 8601 has it: `2026-11-15T19:00:00.123456Z`, with any offset; without one, it is UTC.
pub(crate) fn micros(text: &str) -> Option<i64> {
    let text = text.trim();
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let part = text.get(range)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let mark = |at: usize, marks: &[u8]| text.as_bytes().get(at).is_some_and(|byte| marks.contains(byte));
    if !(mark(4, b"-") && mark(7, b"-") && mark(10, b"T ") && mark(13, b":") && mark(16, b":")) {
        return None;
    }
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let rest = text.get(19..)?;
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count()),
        None => ("", rest),
    };
    let micros: i64 = format!("{:0<6}", fraction.get(..6).unwrap_or(fraction)).parse().ok()?;
    let offset = match zone {
        "" | "Z" | "z" => 0,
        _ => {
            let sign = if zone.starts_with('-') { -1 } else { 1 };
            let digits: String = zone.chars().skip(1).filter(char::is_ascii_digit).collect();
            let (hours, minutes): (i64, i64) =
                (digits.get(..2)?.parse().ok()?, digits.get(2..4)?.parse().ok()?);
            sign * (hours * 60 + minutes)
        }
    };
    // Days of the civil calendar, with years that begin in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let days =
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some(((days * 24 + hour) * 3600 + (minute - offset) * 60 + second) * 1_000_000 + micros)
}

#[cfg(test)]
mod tests {
    use super::micros;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(micros("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(micros("2000-02-29T00:00:00.5Z"), Some(951_782_400_500_000));
        assert_eq!(micros("2000-02-29 01:00:00+01:00"), Some(951_782_400_000_000));
        assert_eq!(micros("2000-02-28T22:30:00.123456789-0130"), Some(951_782_400_123_456));
        assert_eq!(micros("2100-01-01T00:00:00"), Some(4_102_444_800_000_000));
        for text in [
            "",
            "yesterday",
            "2000-13-01T00:00:00Z",
            "2000-01-01",
            "2000-01-01T00:00:00+1",
            "2000-01-01T0é:00:00",
        ] {
            assert_eq!(micros(text), None, "{text}");
        }
    }
}
