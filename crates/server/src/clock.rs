//! The time of day, which only the server's own records need: nothing simulated depends on it.

use std::time::UNIX_EPOCH;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment in milliseconds since 1970, written as RFC 3339 in UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
#[schemars(with = "String")]
pub struct Moment(pub i64);

impl Moment {
    /// Return the present moment.
    #[allow(clippy::disallowed_methods, reason = "no result depends on when a submission came")]
    pub fn now() -> Self {
        let since = std::time::SystemTime::now().duration_since(UNIX_EPOCH);
        Self(since.map_or(0, |d| d.as_millis() as i64))
    }

    /// Return the moment this many seconds later.
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1000)))
    }

    /// Return the day as `2026-11-18`.
    pub fn day(self) -> String {
        let (y, m, d) = civil(self.0.div_euclid(86_400_000));
        format!("{y:04}-{m:02}-{d:02}")
    }
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ms = self.0.rem_euclid(86_400_000);
        let (h, m, s) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
        write!(f, "{}T{h:02}:{m:02}:{s:02}.{:03}Z", self.day(), ms % 1000)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        parse(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("{text:?} is not a time in UTC")))
    }
}

fn parse(text: &str) -> Option<Moment> {
    let (day, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut day = day.splitn(3, '-').map(|n| n.parse::<i64>().ok());
    let (y, m, d) = (day.next()??, day.next()??, day.next()??);
    let (time, ms) = time.split_once('.').unwrap_or((time, "0"));
    let mut time = time.splitn(3, ':').map(|n| n.parse::<i64>().ok());
    let (h, min, s) = (time.next()??, time.next()??, time.next()??);
    let seconds = ((days(y, m, d) * 24 + h) * 60 + min) * 60 + s;
    Some(Moment(seconds * 1000 + ms.parse::<i64>().ok()?))
}

/// Return days since 1970 of a day of the Gregorian calendar.
fn days(y: i64, m: i64, d: i64) -> i64 {
    let y = if m <= 2 { y - 1 } else { y };
    let era = y.div_euclid(400);
    let of_era = y.rem_euclid(400);
    let of_year = (153 * ((m + 9) % 12) + 2) / 5 + d - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Return the day of the Gregorian calendar of days since 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let of_era = z.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let d = of_year - (153 * month + 2) / 5 + 1;
    let m = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(m <= 2), m, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_123, "2000-02-29T00:00:00.123Z"),
            (1_795_046_399_999, "2026-11-18T23:59:59.999Z"),
        ] {
            assert_eq!(Moment(ms).to_string(), text);
            assert_eq!(parse(text), Some(Moment(ms)));
        }
        assert_eq!(parse("yesterday"), None);
    }
}
