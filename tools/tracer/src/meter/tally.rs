// SPDX-License-Identifier: GPL-2.0
//! What a channel has used: energy by its counter, or else by its watts.

use super::Reading;

/// A reading that makes sense.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Seconds from the beginning.
    pub at: f64,
    pub channel: String,
    pub volts: Option<f64>,
    pub amperes: Option<f64>,
    /// Of a counter: the mean since the sample before.
    pub watts: Option<f64>,
    /// So far.
    pub joules: f64,
}

#[derive(Debug, Default, Clone, Copy)]
struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.count += 1;
        }
    }

    fn get(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

#[derive(Debug, Clone)]
pub struct Channel {
    pub name: String,
    pub samples: u64,
    pub joules: f64,
    /// For which `joules` are known.
    pub seconds: f64,
    /// Of the samples' watts.
    pub least: f64,
    pub most: f64,
    volts: Mean,
    amperes: Mean,
    plain: Mean,
    last: Option<(f64, Reading)>,
}

/// At 9.9e37 and above, instruments that speak SCPI mean "too large" or "no number" (SCPI 1999, volume 1, section 7.2.1).
const NO_NUMBER: f64 = 9.9e37;

impl Channel {
    pub fn new(name: &str) -> Self {
        Channel {
            name: name.to_owned(),
            samples: 0,
            joules: 0.0,
            seconds: 0.0,
            least: f64::INFINITY,
            most: 0.0,
            volts: Mean::default(),
            amperes: Mean::default(),
            plain: Mean::default(),
            last: None,
        }
    }

    /// Over the time for which energy is known; of a single sample, its watts.
    pub fn watts(&self) -> Option<f64> {
        if self.seconds > 0.0 {
            return Some(self.joules / self.seconds);
        }
        self.plain.get()
    }

    pub fn volts(&self) -> Option<f64> {
        self.volts.get()
    }

    pub fn amperes(&self) -> Option<f64> {
        self.amperes.get()
    }

    /// Take a reading of `at`, in seconds. Between two of watts the mean of both counts, unless more than `longest` seconds
    /// are between them. An error says why it is left out.
    pub fn add(&mut self, at: f64, reading: &Reading, longest: f64) -> Result<Sample, String> {
        for (what, value) in [
            ("V", reading.volts),
            ("A", reading.amperes),
            ("W", reading.watts),
        ] {
            sensible(value, what)?;
        }
        let product = reading.volts.zip(reading.amperes).map(|(v, a)| v * a);
        let mut watts = reading.watts.or(product);
        if watts.is_none() && reading.counter.is_none() {
            return Err("there are neither watts nor volts and amperes".to_owned());
        }
        if let Some((before, last)) = &self.last {
            let seconds = at - before;
            if seconds <= 0.0 {
                return Err(format!("its time does not advance: {at:.3} s again"));
            }
            match (last.counter, reading.counter) {
                (Some(last), Some(now)) => {
                    let used = match now.microjoules.checked_sub(last.microjoules) {
                        Some(used) => Ok(used),
                        None => wrapped(last.microjoules, now),
                    };
                    // The next reading counts from this one.
                    let used = used.inspect_err(|_| self.last = Some((at, reading.clone())))?;
                    let joules = crate::numbers::real(used) / 1e6;
                    self.joules += joules;
                    self.seconds += seconds;
                    watts = watts.or(Some(joules / seconds));
                }
                _ => {
                    if let (Some(now), Some(last)) = (watts, watts_of(last)) {
                        if seconds <= longest {
                            self.joules += seconds * (now + last) / 2.0;
                            self.seconds += seconds;
                        }
                    }
                }
            }
        }
        self.last = Some((at, reading.clone()));
        self.samples += 1;
        self.volts.add(reading.volts);
        self.amperes.add(reading.amperes);
        self.plain.add(watts);
        if let Some(watts) = watts {
            self.least = self.least.min(watts);
            self.most = self.most.max(watts);
        }
        Ok(Sample {
            at,
            channel: self.name.clone(),
            volts: reading.volts,
            amperes: reading.amperes,
            watts,
            joules: self.joules,
        })
    }
}

fn watts_of(reading: &Reading) -> Option<f64> {
    let product = reading.volts.zip(reading.amperes).map(|(v, a)| v * a);
    reading.watts.or(product)
}

fn wrapped(last: u64, now: super::Counter) -> Result<u64, String> {
    let went = format!("its counter went from {last} to {} µJ", now.microjoules);
    match now.range {
        Some(range) if last <= range && now.microjoules <= range => {
            Ok(range - last + now.microjoules)
        }
        Some(range) => Err(format!("{went}, and has {range} at most")),
        None => Err(format!("{went}: was it reset?")),
    }
}

fn sensible(value: Option<f64>, unit: &str) -> Result<(), String> {
    match value {
        Some(value) if !value.is_finite() || value.abs() >= NO_NUMBER => {
            Err(format!("{value} {unit} is no measurement"))
        }
        Some(value) if value < 0.0 => Err(format!(
            "{value} {unit} is negative: is the sensor the wrong way round?"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn watts(watts: f64) -> Reading {
        Reading {
            watts: Some(watts),
            ..Reading::default()
        }
    }

    fn counter(microjoules: u64, range: Option<u64>) -> Reading {
        Reading::counted(String::new(), microjoules, range)
    }

    #[test]
    fn watts_are_integrated_but_over_gaps() {
        let mut channel = Channel::new("plug");
        for (at, value) in [
            (0.0, 10.0),
            (1.0, 20.0),
            (2.0, 20.0),
            (60.0, 30.0),
            (61.0, 30.0),
        ] {
            channel.add(at, &watts(value), 5.0).unwrap();
        }
        assert_eq!((channel.joules, channel.seconds), (65.0, 3.0));
        assert_eq!(channel.watts(), Some(65.0 / 3.0));
        assert_eq!((channel.least, channel.most), (10.0, 30.0));
    }

    #[test]
    fn what_makes_no_sense_is_left_out() {
        let mut channel = Channel::new("plug");
        channel.add(0.0, &watts(10.0), 5.0).unwrap();
        for (at, wrong, words) in [
            (1.0, f64::NAN, "NaN W is no measurement"),
            (1.0, f64::INFINITY, "inf W"),
            (1.0, 9.91e37, "is no measurement"),
            (1.0, -3.0, "-3 W is negative"),
            (0.0, 10.0, "does not advance"),
            (-1.0, 10.0, "does not advance"),
        ] {
            let error = channel.add(at, &watts(wrong), 5.0).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
        assert!(channel.add(1.0, &Reading::default(), 5.0).is_err());
        channel.add(2.0, &watts(10.0), 5.0).unwrap();
        assert_eq!((channel.joules, channel.samples), (20.0, 2));
    }

    #[test]
    fn volts_times_amperes_are_watts() {
        let mut channel = Channel::new("supply");
        let reading = Reading {
            volts: Some(12.0),
            amperes: Some(0.5),
            ..Reading::default()
        };
        let sample = channel.add(0.0, &reading, 5.0).unwrap();
        assert_eq!(sample.watts, Some(6.0));
        channel.add(1.0, &reading, 5.0).unwrap();
        assert_eq!(channel.joules, 6.0);
        assert_eq!(
            (channel.volts(), channel.amperes()),
            (Some(12.0), Some(0.5))
        );
    }

    #[test]
    fn counters_wrap_and_are_reset() {
        let mut channel = Channel::new("cpu");
        let range = Some(9_999_999);
        channel.add(0.0, &counter(9_000_000, range), 5.0).unwrap();
        let sample = channel.add(1.0, &counter(1_000_001, range), 5.0).unwrap();
        assert_eq!(sample.watts, Some(2.0));
        // Longer gaps change nothing.
        channel.add(101.0, &counter(3_000_001, range), 5.0).unwrap();
        assert_eq!((channel.joules, channel.seconds), (4.0, 101.0));
        let mut channel = Channel::new("chip");
        channel.add(0.0, &counter(5_000_000, None), 5.0).unwrap();
        let error = channel.add(1.0, &counter(1_000_000, None), 5.0);
        assert!(error.unwrap_err().contains("was it reset?"));
        channel.add(2.0, &counter(2_000_000, None), 5.0).unwrap();
        assert_eq!((channel.joules, channel.seconds), (1.0, 1.0));
    }

    proptest! {
        /// The same energy, whatever the range is at which the counter begins again.
        #[test]
        fn a_range_does_not_matter(steps in prop::collection::vec(0u64..1000, 1..50), range in 1000u64..5000) {
            let mut channel = Channel::new("cpu");
            let mut sum = 0;
            channel.add(0.0, &counter(0, Some(range)), 5.0).unwrap();
            for (at, step) in (1u32..).zip(&steps) {
                sum += step;
                channel.add(f64::from(at), &counter(sum % range, Some(range)), 5.0).unwrap();
            }
            let wanted = crate::numbers::real(sum) / 1e6;
            prop_assert!((channel.joules - wanted).abs() < 1e-9, "{} {}", channel.joules, wanted);
        }
    }
}
