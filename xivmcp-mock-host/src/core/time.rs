//! A moment of the host's clock. The core has no clock: whoever drives it says what time it is.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A moment, in milliseconds since 1970-01-01T00:00:00Z. Simulations start at [`Time::SIMULATION_START`].
///
/// ```
/// use std::time::Duration;
/// use xivmcp_mock_host::Time;
///
/// let start = Time::SIMULATION_START;
/// assert_eq!(start.to_string(), "2026-01-01T00:00:00Z");
/// assert_eq!((start + Duration::from_millis(61_500)).to_string(), "2026-01-01T00:01:01.5Z");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Time(i64);

impl Time {
    /// Where virtual time starts: 2026-01-01T00:00:00Z.
    ///
    /// ```
    /// use xivmcp_mock_host::{MockHost, Time};
    /// assert_eq!(MockHost::simulated().now(), Time::SIMULATION_START);
    /// ```
    pub const SIMULATION_START: Self = Self(1_767_225_600_000);

    /// The moment `milliseconds` after 1970-01-01T00:00:00Z.
    ///
    /// ```
    /// use xivmcp_mock_host::Time;
    /// assert_eq!(Time::from_millis(1_500).to_string(), "1970-01-01T00:00:01.5Z");
    /// ```
    #[must_use]
    pub const fn from_millis(milliseconds: i64) -> Self {
        Self(milliseconds)
    }

    /// The milliseconds since 1970-01-01T00:00:00Z.
    ///
    /// ```
    /// use xivmcp_mock_host::Time;
    /// assert_eq!(Time::SIMULATION_START.as_millis(), 1_767_225_600_000);
    /// ```
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// How long ago `earlier` was; zero if it is later than this moment.
    ///
    /// ```
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// use std::time::Duration;
    ///
    /// let before = host.now();
    /// host.advance(Duration::from_secs(90));
    /// assert_eq!(host.now().since(before), Duration::from_secs(90));
    /// assert_eq!(before.since(host.now()), Duration::ZERO);
    /// ```
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Reads ISO 8601: with an offset or `Z`, or without either, which is UTC. Nothing if the text is no time.
    ///
    /// ```
    /// use xivmcp_mock_host::Time;
    ///
    /// assert_eq!(Time::parse("2026-01-01T02:00:00+02:00"), Some(Time::SIMULATION_START));
    /// assert_eq!(Time::parse("2026-01-01T00:00:00"), Some(Time::SIMULATION_START));
    /// assert_eq!(Time::parse("tomorrow"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let stamp = text.parse::<Timestamp>().ok().or_else(|| {
            let civil: DateTime = text.parse().ok()?;
            TimeZone::UTC.to_timestamp(civil).ok()
        })?;
        Some(Self(stamp.as_millisecond()))
    }

    /// The time of day, `HH:mm:ss`, as the lines of a job's log begin (R-JOB-10).
    ///
    /// ```
    /// use std::time::Duration;
    /// use xivmcp_mock_host::Time;
    ///
    /// let later = Time::SIMULATION_START + Duration::from_secs(3_661);
    /// assert_eq!(later.time_of_day(), "01:01:01");
    /// ```
    #[must_use]
    pub fn time_of_day(self) -> String {
        let second = self.0.div_euclid(1000).rem_euclid(86_400);
        format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
    }
}

impl Add<Duration> for Time {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl Sub for Time {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.since(earlier)
    }
}

impl fmt::Display for Time {
    /// UTC, ISO 8601; a fraction only where there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_millisecond(self.0) {
            Ok(stamp) => stamp.fmt(f),
            Err(_) => write!(f, "{} ms", self.0), // further than the calendar goes
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // R-JOB-13
    #[test]
    fn a_time_is_read_in_utc_and_what_is_no_time_is_not_read() {
        let noon = Time::from_millis(1_767_225_600_000 + 12 * 3_600_000);
        for text in ["2026-01-01T12:00:00Z", "2026-01-01T12:00Z", "2026-01-01T12:00:00", "2026-01-01 14:00:00+02:00"] {
            assert_eq!(Time::parse(text), Some(noon), "{text}");
        }
        for text in ["", "noon", "12:00", "2026-13-01T00:00:00Z", "{{a.b}}"] {
            assert_eq!(Time::parse(text), None, "{text}");
        }
    }

    // R-JOB-10
    #[test]
    fn a_log_line_begins_with_the_time_of_day() {
        assert_eq!(Time::SIMULATION_START.time_of_day(), "00:00:00");
        assert_eq!(Time::from_millis(1_767_225_600_000 - 1).time_of_day(), "23:59:59");
        assert_eq!(Time::from_millis(-1).time_of_day(), "23:59:59");
    }
}
