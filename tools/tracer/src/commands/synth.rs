// SPDX-License-Identifier: GPL-2.0

use super::{Output, Sink};
use crate::cli::{Verdict, note};
use crate::error::{Error, Result};
use crate::numbers;
use crate::profile::Profile;
use crate::synth::{Like, Mode, PostMark, RATIOS, Random, SIZES};
use crate::trace::{Devices, Event};
use clap::{Args, Subcommand};
use shared::loads::rhythm::{self, Rhythm};
use shared::loads::{self, KINDS, Load};
use shared::request::{Op, Request};
use std::path::PathBuf;

/// Make a trace by chance
///
/// The same options give the same rows. Requests are those of a list; -o and --to write other formats.
#[derive(Debug, Subcommand)]
pub enum Synth {
    /// List the kinds of days
    Kinds,
    Day(Day),
    Profile(ProfileOptions),
    Rhythm(RhythmOptions),
    Mode(ModeOptions),
    Modes(ModesOptions),
    Random(RandomOptions),
    Web(LikeOptions),
    Cello(LikeOptions),
    Postmark(PostmarkOptions),
}

/// Days of a kind, as of a mail server: synth kinds lists them
#[derive(Debug, Args)]
pub struct Day {
    kind: String,
    #[command(flatten)]
    output: Output,
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=3660))]
    days: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the files lie: anywhere in so many bytes
    #[arg(long, value_name = "SIZE", default_value = "24000000000000", value_parser = numbers::size)]
    span: u64,
    /// How many files there are
    #[arg(long, default_value_t = 4096)]
    files: u64,
    /// Of each file
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = numbers::size)]
    file_bytes: u64,
    /// Write all files once, at 0, instead
    #[arg(long)]
    fill: bool,
}

/// A day whose hours are in a file: tests/day/profile in the source tree is one
#[derive(Debug, Args)]
pub struct ProfileOptions {
    /// A line for each hour: HOUR PART SESSIONS READS RUSH COLD
    #[arg(value_name = "PROFILE")]
    file: PathBuf,
    #[command(flatten)]
    output: Output,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the files lie: anywhere in so many bytes
    #[arg(long, value_name = "SIZE", default_value = "24000000000000", value_parser = numbers::size)]
    span: u64,
    /// Write all files once, at 0, instead
    #[arg(long)]
    fill: bool,
    /// Only the reads of cold files
    #[arg(long, conflicts_with = "fill")]
    cold: bool,
}

/// Days that resemble each other: busiest at four in the afternoon
#[derive(Debug, Args)]
pub struct RhythmOptions {
    #[command(flatten)]
    output: Output,
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u64).range(1..=3660))]
    days: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the places lie: anywhere in so many bytes
    #[arg(long, value_name = "SIZE", default_value = "24000000000000", value_parser = numbers::size)]
    span: u64,
    /// Requests a second at four in the morning
    #[arg(long, value_name = "RATE", default_value = "4", value_parser = rate)]
    night: f64,
    /// Requests a second at four in the afternoon; a third of what is above the night's on two days of seven
    #[arg(long, value_name = "RATE", default_value = "150", value_parser = rate)]
    noon: f64,
    /// Percent of writes, to a sixteenth of the places
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = percent)]
    writes: f64,
    /// How many places there are, of 1 MiB each
    #[arg(long, default_value_t = 4096)]
    places: u64,
    /// A burst of one to five minutes, so many minutes apart on average
    #[arg(long, value_name = "MINUTES", value_parser = rate)]
    bursts: Option<f64>,
    /// A file for each day, OUT.0 and so on, with times from the day's beginning
    #[arg(long, requires = "output")]
    each_day: bool,
    /// Write all places once, at 0, instead
    #[arg(long, conflicts_with = "each_day")]
    fill: bool,
}

/// A load at its peak, of one size, read ratio and random ratio (TRACER, section V-C)
#[derive(Debug, Args)]
pub struct ModeOptions {
    #[command(flatten)]
    output: Output,
    /// Of each request
    #[arg(long, value_name = "SIZE", value_parser = numbers::size)]
    size: u64,
    /// Percent of reads
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100))]
    reads: u32,
    /// Percent of requests that do not follow the one before
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(0..=100))]
    random: u32,
    #[command(flatten)]
    lasting: Lasting,
}

/// All 125 modes of TRACER's: five sizes, read ratios and random ratios, into a repository
#[derive(Debug, Args)]
pub struct ModesOptions {
    /// The repository, a directory
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    lasting: Lasting,
}

/// Requests of one size at random times, to random places
#[derive(Debug, Args)]
pub struct RandomOptions {
    #[command(flatten)]
    output: Output,
    /// How many
    #[arg(long, value_parser = clap::value_parser!(u64).range(0..=100_000_000))]
    requests: u64,
    /// Of each request
    #[arg(long, value_name = "SIZE", default_value = "4K", value_parser = numbers::size)]
    size: u64,
    /// Percent of reads
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=100))]
    reads: u32,
    /// Each request follows the one before, from the beginning of the device on
    #[arg(long)]
    sequential: bool,
    /// At times within so many seconds; 0: all at the beginning
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=1_000_000_000))]
    seconds: u64,
    /// The size of the device
    #[arg(long, value_name = "SIZE", default_value = "1T", value_parser = numbers::size)]
    span: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Debug, Clone, Args)]
struct Lasting {
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seconds: u64,
    /// The size of the device
    #[arg(long, value_name = "SIZE", default_value = "1T", value_parser = numbers::size)]
    span: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A load like one of PARAID's evaluation: web is a department's web server for four days, cello a busy server of files
/// and mail for 50 hours
#[derive(Debug, Args)]
pub struct LikeOptions {
    #[command(flatten)]
    output: Output,
    /// The size of the device
    #[arg(long, value_name = "SIZE", default_value = "32G", value_parser = numbers::size)]
    span: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A load like PostMark's: small files are made, read, appended to and deleted, at the peak
#[derive(Debug, Args)]
pub struct PostmarkOptions {
    #[command(flatten)]
    output: Output,
    /// At the beginning
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    files: u64,
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(0..=100_000_000))]
    transactions: u64,
    /// Transactions a second
    #[arg(long, value_name = "RATE", default_value = "500", value_parser = rate)]
    rate: f64,
    /// The size of the device
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = numbers::size)]
    span: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn rate(text: &str) -> std::result::Result<f64, String> {
    let rate = text
        .parse()
        .ok()
        .filter(|rate| (0.000_001..=1e6).contains(rate));
    rate.ok_or_else(|| "it is a number above 0, and at most 1000000".to_owned())
}

fn percent(text: &str) -> std::result::Result<f64, String> {
    let percent = text
        .parse()
        .ok()
        .filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| "it is from 0 to 100".to_owned())
}

pub fn run(synth: &Synth) -> Result<Verdict> {
    match synth {
        Synth::Kinds => kinds(),
        Synth::Day(options) => day(options)?,
        Synth::Profile(options) => profile(options)?,
        Synth::Rhythm(options) => resembling(options)?,
        Synth::Mode(options) => mode(options)?,
        Synth::Modes(options) => modes(options)?,
        Synth::Random(options) => random(options)?,
        Synth::Web(options) => like(Like::Web, options)?,
        Synth::Cello(options) => like(Like::Cello, options)?,
        Synth::Postmark(options) => postmark(options)?,
    }
    Ok(Verdict::Done)
}

fn kinds() {
    for kind in KINDS {
        println!("{}\t{}", kind.name, kind.what);
    }
}

/// `name`: of the device, in a repository.
fn write(output: &Output, name: &str, requests: impl Iterator<Item = Request>) -> Result<()> {
    let mut sink = output.create()?;
    let devices = one_device();
    for request in requests {
        put(&mut sink, &devices, &request)?;
    }
    sink.finish(name)
}

fn one_device() -> Devices {
    let mut devices = Devices::default();
    devices.number("");
    devices
}

fn put(sink: &mut Sink, devices: &Devices, request: &Request) -> Result<()> {
    let event = Event {
        at: request.at,
        op: request.op,
        device: 0,
        sector: request.sector,
        bytes: if request.op == Op::Flush {
            0
        } else {
            request.bytes
        },
    };
    sink.write(&event, devices)
}

fn day(options: &Day) -> Result<()> {
    let kind = loads::kind(&options.kind).ok_or_else(|| {
        let names: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
        Error::Usage(format!(
            "there is no kind {}; there are {}",
            options.kind,
            names.join(", ")
        ))
    })?;
    let shape = loads::Shape {
        days: options.days,
        seed: options.seed,
        span: options.span,
        files: options.files,
        file_bytes: options.file_bytes,
    };
    if options.fill {
        let requests = loads::filling(&shape).map_err(Error::Usage)?;
        return write(&options.output, kind.name, requests);
    }
    let load = Load::new(kind, &shape).map_err(Error::Usage)?;
    write(&options.output, kind.name, load)
}

fn profile(options: &ProfileOptions) -> Result<()> {
    let text = std::fs::read_to_string(&options.file)
        .map_err(|error| Error::read(&options.file, error))?;
    let profile = Profile::new(&text, options.span, options.seed)
        .map_err(|what| Error::Usage(format!("{}: {what}", options.file.display())))?;
    let requests = if options.fill {
        profile.filling()
    } else {
        profile.requests(options.cold)
    };
    write(&options.output, "profile", requests.into_iter())
}

fn resembling(options: &RhythmOptions) -> Result<()> {
    let shape = rhythm::Shape {
        days: options.days,
        seed: options.seed,
        span: options.span,
        night: options.night,
        noon: options.noon,
        writes: options.writes,
        places: options.places,
        bursts: options.bursts,
        each_day: options.each_day,
    };
    let rhythm = Rhythm::new(&shape).map_err(Error::Usage)?;
    if options.fill {
        return write(&options.output, "rhythm", rhythm.filling());
    }
    if options.each_day {
        return each_day(options, rhythm);
    }
    write(&options.output, "rhythm", rhythm)
}

fn each_day(options: &RhythmOptions, mut rhythm: Rhythm) -> Result<()> {
    let name = options.output.output.clone().unwrap_or_default();
    let devices = one_device();
    let mut next = rhythm.next();
    for day in 0..options.days {
        let mut path = name.clone().into_os_string();
        path.push(format!(".{day}"));
        let output = Output {
            output: Some(path.into()),
            to: options.output.to,
        };
        let mut sink = output.create()?;
        while let Some(request) = next.filter(|_| rhythm.day() == day) {
            put(&mut sink, &devices, &request)?;
            next = rhythm.next();
        }
        sink.finish("rhythm")?;
    }
    Ok(())
}

impl Lasting {
    fn mode(&self, bytes: u32, read_percent: u32, random_percent: u32) -> Mode {
        Mode {
            bytes,
            read_percent,
            random_percent,
            seconds: self.seconds,
            span: self.span,
            seed: self.seed,
        }
    }
}

fn of_request(size: u64) -> Result<u32> {
    let size = u32::try_from(size).ok().filter(|size| *size <= 1 << 30);
    size.ok_or_else(|| Error::Usage("--size: no request has more than 1G".to_owned()))
}

fn random(options: &RandomOptions) -> Result<()> {
    let load = Random {
        requests: options.requests,
        bytes: of_request(options.size)?,
        read_percent: options.reads,
        in_sequence: options.sequential,
        seconds: options.seconds,
        span: options.span,
        seed: options.seed,
    };
    let requests = load.requests().map_err(Error::Usage)?;
    write(&options.output, "random", requests.into_iter())
}

fn mode(options: &ModeOptions) -> Result<()> {
    let size = of_request(options.size)?;
    let mode = options.lasting.mode(size, options.reads, options.random);
    write(
        &options.output,
        "mode",
        mode.requests().map_err(Error::Usage)?,
    )
}

fn modes(options: &ModesOptions) -> Result<()> {
    std::fs::create_dir_all(&options.output)
        .map_err(|error| Error::write(options.output.display(), error))?;
    let output = Output {
        output: Some(options.output.clone()),
        to: None,
    };
    for size in SIZES {
        for random in RATIOS {
            for reads in RATIOS {
                let mode = options.lasting.mode(size, reads, random);
                write(&output, "mode", mode.requests().map_err(Error::Usage)?)?;
            }
        }
    }
    note("125 traces were made");
    Ok(())
}

fn like(like: Like, options: &LikeOptions) -> Result<()> {
    let name = if like == Like::Web { "web" } else { "cello" };
    let requests = like
        .requests(options.span, options.seed)
        .map_err(Error::Usage)?;
    write(&options.output, name, requests)
}

fn postmark(options: &PostmarkOptions) -> Result<()> {
    let load = PostMark {
        files: options.files,
        transactions: options.transactions,
        rate: options.rate,
        span: options.span,
        seed: options.seed,
    };
    let requests = load.requests().map_err(Error::Usage)?;
    write(&options.output, "postmark", requests.into_iter())
}
