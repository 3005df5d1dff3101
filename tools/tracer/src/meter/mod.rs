// SPDX-License-Identifier: GPL-2.0
//! Power while something runs: sources that are read once a period, and what their channels have used.
//!
//! Each source has a thread, so that one that answers late holds up no other. All are read when the measurement begins and
//! when it ends, and at whole periods in between. What a source says that makes no sense is counted and said; the rest is
//! kept.

mod csv;
mod http;
mod scpi;
mod sysfs;
mod tally;

pub use tally::{Channel, Sample};

use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A source that has not answered for so long has stopped.
const PATIENCE: Duration = Duration::from_secs(5);
/// Messages of a source that are shown; more are only counted.
const SHOWN: u64 = 10;

/// What a channel says at one time. In V, A and W.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Reading {
    pub channel: String,
    /// Seconds since 1970, if the source says when it measured.
    pub measured: Option<f64>,
    pub volts: Option<f64>,
    pub amperes: Option<f64>,
    pub watts: Option<f64>,
    pub counter: Option<Counter>,
}

/// Energy so far, in µJ. It goes from `range` to 0; `None`: never.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    pub microjoules: u64,
    pub range: Option<u64>,
}

impl Reading {
    /// Of a meter that counts energy only.
    fn counted(channel: String, microjoules: u64, range: Option<u64>) -> Self {
        Reading {
            channel,
            counter: Some(Counter { microjoules, range }),
            ..Reading::default()
        }
    }
}

/// A meter. An error says in a few words why there is no reading.
pub trait Source: Send {
    /// All channels, now; or all that was measured since the last call, if the source knows the times.
    fn read(&mut self) -> std::result::Result<Vec<Reading>, String>;

    /// What else was there in the last call, and is no reading.
    fn wrong(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// A source as it is named: `KIND[:WHERE][?KEY=VALUE&KEY=VALUE…]`.
#[derive(Debug, PartialEq)]
struct Spec<'a> {
    kind: &'a str,
    place: &'a str,
    options: BTreeMap<&'a str, &'a str>,
}

impl<'a> Spec<'a> {
    fn parse(text: &'a str) -> std::result::Result<Self, String> {
        let (address, query) = match text.split_once('?') {
            Some((address, query)) => (address, Some(query)),
            None => (text, None),
        };
        let (kind, place) = address.split_once(':').unwrap_or((address, ""));
        let mut options = BTreeMap::new();
        for one in query.into_iter().flat_map(|query| query.split('&')) {
            let (key, value) = one
                .split_once('=')
                .ok_or_else(|| format!("{one:?} is not KEY=VALUE"))?;
            if options.insert(key, value).is_some() {
                return Err(format!("{key} is given twice"));
            }
        }
        Ok(Spec {
            kind,
            place,
            options,
        })
    }

    /// An option that the kind knows is taken out; what is left in the end is none.
    fn take(&mut self, key: &str) -> Option<String> {
        self.options.remove(key).map(str::to_owned)
    }

    /// `None`: all.
    fn list(&mut self, key: &str) -> Option<Vec<String>> {
        let list = self.take(key)?;
        Some(list.split(',').map(|one| one.trim().to_owned()).collect())
    }

    fn place_or<'b>(&'b self, usual: &'b str) -> &'b str {
        if self.place.is_empty() {
            usual
        } else {
            self.place
        }
    }

    fn needs_place(&self, what: &str) -> std::result::Result<String, String> {
        if self.place.is_empty() {
            return Err(format!("it needs {what}: {}:{what}", self.kind));
        }
        Ok(self.place.to_owned())
    }
}

const KINDS: &str = "spindle, powercap, hwmon, states, csv, scpi, shelly, tasmota";

/// Of the name of a source. Nothing is read yet.
pub fn source(name: &str) -> Result<Box<dyn Source>> {
    let wrong = |what: String| Error::Usage(format!("there is no meter {name:?}: {what}"));
    let mut spec = Spec::parse(name).map_err(wrong)?;
    let source: std::result::Result<Box<dyn Source>, String> = match spec.kind {
        "spindle" => Ok(Box::new(sysfs::Spindle::new(&mut spec))),
        "powercap" => Ok(Box::new(sysfs::Powercap::new(&mut spec))),
        "hwmon" => Ok(Box::new(sysfs::Hwmon::new(&mut spec))),
        "states" => sysfs::States::new(&mut spec).map(|is| Box::new(is) as _),
        "csv" => csv::Csv::new(&mut spec).map(|is| Box::new(is) as _),
        "scpi" => scpi::Scpi::new(&mut spec).map(|is| Box::new(is) as _),
        "shelly" => http::Shelly::new(&mut spec).map(|is| Box::new(is) as _),
        "tasmota" => http::Tasmota::new(&mut spec).map(|is| Box::new(is) as _),
        kind => Err(format!("{kind:?} is none of {KINDS}")),
    };
    let source = source.map_err(wrong)?;
    if let Some(key) = spec.options.keys().next() {
        return Err(wrong(format!("{} has no option {key}", spec.kind)));
    }
    Ok(source)
}

/// What was measured.
#[derive(Debug, Default)]
pub struct Measured {
    pub channels: Vec<Channel>,
    /// Readings that are left out, or were late, and times that a source did not answer.
    pub faults: u64,
}

impl Measured {
    pub fn joules(&self) -> f64 {
        self.channels.iter().map(|channel| channel.joules).sum()
    }

    /// The sum of the means of all channels; `None` without any reading.
    pub fn watts(&self) -> Option<f64> {
        let means: Vec<_> = self.channels.iter().filter_map(Channel::watts).collect();
        (!means.is_empty()).then(|| means.iter().sum())
    }

    /// The mean of those channels that have it.
    pub fn volts(&self) -> Option<f64> {
        let all: Vec<_> = self.channels.iter().filter_map(Channel::volts).collect();
        let count = u32::try_from(all.len()).ok().filter(|count| *count > 0)?;
        Some(all.iter().sum::<f64>() / f64::from(count))
    }

    /// The sum.
    pub fn amperes(&self) -> Option<f64> {
        let all: Vec<_> = self.channels.iter().filter_map(Channel::amperes).collect();
        (!all.is_empty()).then(|| all.iter().sum())
    }
}

type OnSample = Box<dyn FnMut(&Sample) + Send>;
type OnFault = fn(&str);

/// What the threads share.
struct Shared {
    measured: Measured,
    on_sample: OnSample,
    on_fault: OnFault,
}

/// A measurement that goes on.
pub struct Metering {
    shared: Arc<Mutex<Shared>>,
    /// Dropped to end them.
    stops: Vec<Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

impl Metering {
    /// It has begun when each of the sources has been read once. `on_sample` gets each sample, `on_fault` a line for each
    /// fault, up to ten of a source.
    pub fn begin(
        names: &[String],
        period: Duration,
        on_sample: OnSample,
        on_fault: OnFault,
    ) -> Result<Self> {
        let mut sources = Vec::new();
        for (number, name) in names.iter().enumerate() {
            if names.iter().take(number).any(|other| other == name) {
                return Err(Error::Usage(format!("the meter {name} is named twice")));
            }
            sources.push((name.clone(), source(name)?));
        }
        let mut metering = Metering {
            shared: Arc::new(Mutex::new(Shared {
                measured: Measured::default(),
                on_sample,
                on_fault,
            })),
            stops: Vec::new(),
            threads: Vec::new(),
        };
        let began = Began::now();
        let mut first = Vec::new();
        for (name, source) in sources {
            let (stop, stopped) = channel();
            let (tell, told) = channel();
            let reader = Reader {
                name: name.clone(),
                source,
                period,
                began,
                shared: Arc::clone(&metering.shared),
                answered: began.at,
                silent: false,
                faults: 0,
            };
            let thread = std::thread::Builder::new().spawn(move || reader.run(&stopped, &tell));
            let thread = thread
                .map_err(|error| Error::Refused(format!("cannot start a thread: {error}")))?;
            metering.threads.push(thread);
            metering.stops.push(stop);
            first.push((name, told));
        }
        for (name, told) in first {
            let said = told.recv().unwrap_or_else(|_| Err("it ended".to_owned()));
            said.map_err(|error| Error::Meter { name, what: error })?;
        }
        Ok(metering)
    }

    /// Read all sources once more.
    pub fn end(self) -> Measured {
        drop(self.stops);
        for thread in self.threads {
            let _ = thread.join();
        }
        std::mem::take(&mut locked(&self.shared).measured)
    }
}

/// Nothing of it is half done when a thread ends.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Clone, Copy)]
struct Began {
    at: Instant,
    /// Seconds since 1970.
    clock: f64,
}

impl Began {
    fn now() -> Self {
        let clock = SystemTime::now().duration_since(UNIX_EPOCH);
        Began {
            at: Instant::now(),
            clock: clock.unwrap_or_default().as_secs_f64(),
        }
    }
}

/// The thread of a source.
struct Reader {
    name: String,
    source: Box<dyn Source>,
    period: Duration,
    began: Began,
    shared: Arc<Mutex<Shared>>,
    /// When it was read last.
    answered: Instant,
    /// It has not answered since.
    silent: bool,
    faults: u64,
}

impl Reader {
    fn run(mut self, stopped: &Receiver<()>, tell: &Sender<std::result::Result<(), String>>) {
        let first = self.read();
        let failed = first.is_err();
        let _ = tell.send(first);
        if failed {
            return;
        }
        let mut tick = 0u32;
        loop {
            // Those that it was too slow for are left out.
            let now = self.began.at.elapsed();
            while self.period.saturating_mul(tick) <= now && tick < u32::MAX {
                tick += 1;
            }
            let left = self.period.saturating_mul(tick).saturating_sub(now);
            let ended = stopped.recv_timeout(left) != Err(RecvTimeoutError::Timeout);
            if let Err(error) = self.read() {
                self.missed(&error);
            }
            if ended {
                return;
            }
        }
    }

    fn read(&mut self) -> std::result::Result<(), String> {
        let asked = Instant::now();
        let readings = self.source.read()?;
        for wrong in self.source.wrong() {
            self.fault(&wrong);
        }
        let now = Instant::now();
        if readings.is_empty() && now.duration_since(self.answered) > PATIENCE.max(self.period * 5)
        {
            return Err("there is nothing new".to_owned());
        }
        if !readings.is_empty() {
            if self.silent {
                self.silent = false;
                let after = now.duration_since(self.answered).as_secs_f64();
                self.say(&format!("it answers again, after {after:.1} s"));
            }
            self.answered = now;
        }
        let took = now.duration_since(asked);
        if took > self.period {
            let took = took.as_secs_f64();
            self.fault(&format!("it took {took:.1} s to answer"));
        }
        for reading in readings {
            self.add(&reading, now);
        }
        Ok(())
    }

    fn add(&mut self, reading: &Reading, now: Instant) {
        let now = now.duration_since(self.began.at).as_secs_f64();
        let at = match reading.measured {
            // Of before the beginning.
            Some(at) if at < self.began.clock => return,
            Some(at) => at - self.began.clock,
            None => now,
        };
        let lag = now - at;
        if lag.abs() > PATIENCE.max(self.period * 5).as_secs_f64() {
            self.fault(&format!(
                "channel {}: it says what was measured {lag:.1} s ago",
                reading.channel
            ));
        }
        let name = format!("{}/{}", self.name, reading.channel);
        let longest = PATIENCE.max(self.period * 5).as_secs_f64();
        let mut shared = locked(&self.shared);
        let shared = &mut *shared;
        let channels = &mut shared.measured.channels;
        let place = match channels.iter().position(|channel| channel.name == name) {
            Some(place) => place,
            None => {
                channels.push(Channel::new(&name));
                channels.len() - 1
            }
        };
        let Some(channel) = channels.get_mut(place) else {
            return;
        };
        match channel.add(at, reading, longest) {
            Ok(sample) => (shared.on_sample)(&sample),
            Err(fault) => {
                shared.measured.faults += 1;
                self.faults += 1;
                if self.faults <= SHOWN {
                    (shared.on_fault)(&format!("meter {name}, {at:.1} s: {fault}"));
                }
            }
        }
    }

    /// It did not answer: said once, until it does.
    fn missed(&mut self, error: &str) {
        locked(&self.shared).measured.faults += 1;
        if !self.silent {
            self.silent = true;
            self.say(error);
        }
    }

    fn fault(&mut self, what: &str) {
        locked(&self.shared).measured.faults += 1;
        self.say(what);
    }

    fn say(&mut self, what: &str) {
        self.faults += 1;
        if self.faults <= SHOWN {
            let at = self.began.at.elapsed().as_secs_f64();
            let on_fault = locked(&self.shared).on_fault;
            on_fault(&format!("meter {}, {at:.1} s: {what}", self.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sources() {
        let mut spec = Spec::parse("scpi:[::1]:5025?watts=MEAS:POW? (@%c)&channels=1,2").unwrap();
        assert_eq!((spec.kind, spec.place), ("scpi", "[::1]:5025"));
        assert_eq!(spec.take("watts").unwrap(), "MEAS:POW? (@%c)");
        assert_eq!(spec.list("channels").unwrap(), ["1", "2"]);
        assert_eq!(Spec::parse("hwmon").unwrap().place_or("/sys"), "/sys");
        for (wrong, words) in [
            ("", "is none of"),
            ("plug:1.2.3.4", "is none of"),
            ("shelly", "it needs HOST"),
            ("csv:", "it needs FILE"),
            ("hwmon?only", "is not KEY=VALUE"),
            ("hwmon?only=a&only=b", "twice"),
            ("hwmon?watts=2", "hwmon has no option watts"),
        ] {
            let error = source(wrong).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(words), "{wrong}: {error}");
        }
    }
}
