// SPDX-License-Identifier: GPL-2.0
//! Reading and writing each format.

use crate::harness::{World, corpus, event, read, says, six, source};
use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};
use proptest::prelude::*;
use raid_tracer::trace::write::{To, Writer};
use raid_tracer::trace::{Devices, Event, Format, Op};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::fs;
use std::io::Write;

pub const TEXTS: [(&str, Format, &str, u64); 8] = [
    ("six.list", Format::List, "", 0),
    ("six.csv", Format::Csv, "host,0", 0),
    ("six.spc", Format::Spc, "0", 0),
    ("six.fiu", Format::Fiu, "6,0", 0),
    ("six.blkparse", Format::Blkparse, "8,16", 1),
    ("six.ftrace", Format::Ftrace, "8,16", 1),
    ("six.v2.iolog", Format::Iolog, "/dev/sdb", 0),
    ("six.v3.iolog", Format::Iolog, "/dev/sdb", 1),
];

/// Some formats have no flushes.
fn without_flushes(mut events: Vec<Event>) -> Vec<Event> {
    events.retain(|event| event.op != Op::Flush);
    events
}

#[test]
fn texts_of_all_formats_are_the_same_trace() {
    for (name, format, device, discards) in TEXTS {
        let (events, met, formats, devices) = read(&source(corpus(name))).unwrap();
        let wanted = match format {
            Format::Csv | Format::Spc | Format::Fiu => without_flushes(six()),
            _ => six(),
        };
        assert_eq!(events, wanted, "{name}");
        assert_eq!(formats, [format], "{name}");
        assert_eq!(devices.names(), [device], "{name}");
        assert_eq!(
            (met.wrong.count, met.late.count, met.discards),
            (0, 0, discards),
            "{name}"
        );
    }
}

/// A record as blktrace writes it, independently of the program's own.
struct Raw {
    big: bool,
    out: Vec<u8>,
}

impl Raw {
    fn new(big: bool) -> Self {
        Raw {
            big,
            out: Vec::new(),
        }
    }

    fn put(&mut self, number: u64, bytes: usize) {
        let all = number.to_be_bytes();
        let mut field = all[8 - bytes..].to_vec();
        if !self.big {
            field.reverse();
        }
        self.out.extend(field);
    }

    /// `what`: action and category, as in blktrace_api.h.
    fn record(&mut self, at: u64, what: u64, sector: u64, bytes: u64, after: &[u8]) {
        self.put(0x6561_7407, 4);
        self.put(1, 4);
        self.put(at, 8);
        self.put(sector, 8);
        self.put(bytes, 4);
        self.put(what, 4);
        self.put(697, 4);
        self.put(8 << 20 | 16, 4);
        self.put(0, 4);
        self.put(0, 2);
        self.put(after.len().try_into().unwrap(), 2);
        self.out.extend(after);
    }
}

const QUEUE: u64 = 1;
const READ: u64 = 1 << 16;
const WRITE: u64 = 1 << 17;
const FLUSH: u64 = 1 << 18;
const NOTIFY: u64 = 1 << 26;
const DISCARD: u64 = 1 << 29;

pub fn recorded(big: bool) -> [Vec<u8>; 2] {
    let [mut first, mut second] = [Raw::new(big), Raw::new(big)];
    first.record(0, NOTIFY, 0, 0, b"dd\0\0");
    first.record(0, QUEUE | WRITE, 2048, 4096, b"");
    first.record(500, 7 | WRITE, 2048, 4096, b"12345");
    second.record(1_000_000, QUEUE | READ, 8, 512, b"");
    second.record(1_000_000, QUEUE | READ, 16, 65_536, b"");
    first.record(1_500_000, 8 | WRITE, 2048, 4096, b"");
    first.record(250_000_000, QUEUE | FLUSH | WRITE, 0, 0, b"");
    second.record(250_001_000, QUEUE | WRITE, 4096, 131_072, b"");
    second.record(250_002_000, QUEUE | WRITE | DISCARD, 9000, 131_072, b"");
    first.record(3_600_000_000_000, QUEUE | READ, 1_953_525_160, 4096, b"");
    [first.out, second.out]
}

#[test]
fn records_of_both_orders_and_of_several_cpus() {
    for big in [false, true] {
        let world = World::new();
        let [first, second] = recorded(big);
        world.write("sdb.blktrace.0", first);
        world.write("sdb.blktrace.3", second);
        let (events, met, formats, devices) = read(&source(world.path("sdb"))).unwrap();
        assert_eq!(events, six());
        assert_eq!((met.wrong.count, met.discards), (0, 1));
        assert_eq!(formats, [Format::Blktrace]);
        assert_eq!(devices.names(), ["8,16"]);
    }
}

/// A write that is to flush first is both.
#[test]
fn a_flush_before_a_write_is_a_request() {
    let world = World::new();
    let mut raw = Raw::new(false);
    raw.record(7, QUEUE | FLUSH | WRITE, 8, 4096, b"");
    let path = world.write("x", raw.out);
    let wanted = [event(7, Op::Flush, 0, 0), event(7, Op::Write, 8, 4096)];
    assert_eq!(read(&source(path)).unwrap().0, wanted);
}

#[test]
fn records_that_are_cut_or_none_end_with_an_error() {
    let [first, _] = recorded(false);
    let world = World::new();
    let cases = [
        (first[..first.len() - 1].to_vec(), "within record 6"),
        (first[..48 + 2].to_vec(), "within record 1"),
        (
            [&first[..48 + 4], &[0; 96]].concat(),
            "record 2 is no record",
        ),
    ];
    for (bytes, words) in cases {
        world.write("in", bytes);
        let left = world.run("trace convert in -o out.csv");
        assert_eq!(left.code, 5, "{}", left.err);
        says(&left.err, words);
        assert_eq!(world.files(), ["in"]);
    }
}

fn gz(plain: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(plain).unwrap();
    out.finish().unwrap()
}

fn xz(plain: &[u8]) -> Vec<u8> {
    let mut out = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).unwrap();
    out.write_all(plain).unwrap();
    out.finish().unwrap()
}

fn zst(plain: &[u8]) -> Vec<u8> {
    compress_to_vec(plain, CompressionLevel::Fastest)
}

/// Also of several parts, as `cat` joins them; and what is cut is no whole trace.
#[test]
fn compressed_traces() {
    let plain = fs::read(corpus("six.list")).unwrap();
    let (head, tail) = plain.split_at(40);
    for (name, compress) in [("gz", gz as fn(&[u8]) -> Vec<u8>), ("xz", xz), ("zst", zst)] {
        let world = World::new();
        let joined = [compress(head), compress(tail)].concat();
        let path = world.write(name, &joined);
        assert_eq!(read(&source(path)).unwrap().0, six(), "{name}");
        let cut = world.write("cut", &joined[..joined.len() - 5]);
        assert!(read(&source(cut)).is_err(), "{name}");
    }
}

fn round_trip(events: &[Event], to: To, name: &str) -> Vec<Event> {
    let world = World::new();
    let path = world.path(name);
    let mut devices = Devices::default();
    devices.number("8,16").unwrap();
    let mut writer = Writer::create(Some(&path), to).unwrap();
    for event in events {
        writer.write(event, &devices).unwrap();
    }
    writer.finish().unwrap();
    let mut source = source(path);
    source.format = Some(match to {
        To::List => Format::List,
        To::Csv => Format::Csv,
        To::Blktrace => Format::Blktrace,
        To::Iolog => Format::Iolog,
    });
    let (events, met, _, devices) = read(&source).unwrap();
    assert_eq!((met.wrong.count, met.late.count, met.widened), (0, 0, 0));
    assert_eq!(devices.name(0), if to == To::List { "" } else { "8,16" });
    events
}

/// Times as exact as the format has them.
fn with_times(events: &[Event], unit: u64, begins: u64) -> Vec<Event> {
    let time = |event: &Event| event.at / unit * unit - begins / unit * unit;
    events
        .iter()
        .map(|event| Event {
            at: time(event),
            ..*event
        })
        .collect()
}

fn some_events() -> impl Strategy<Value = Vec<Event>> {
    let op = prop_oneof![Just(Op::Read), Just(Op::Write), Just(Op::Flush)];
    let one = (0u64..100_000_000_000, op, 0u64..1 << 45, 1u32..=2048);
    prop::collection::vec(one, 1..50).prop_map(|rows| {
        let mut at = 0;
        let mut events = Vec::new();
        for (step, op, sector, sectors) in rows {
            at += step;
            let (sector, bytes) = if op == Op::Flush {
                (0, 0)
            } else {
                (sector, sectors * 512)
            };
            events.push(event(at, op, sector, bytes));
        }
        events
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_written_is_read(events in some_events()) {
        prop_assert_eq!(&round_trip(&events, To::List, "x"), &events);
        prop_assert_eq!(&round_trip(&events, To::Blktrace, "x"), &events);
        prop_assert_eq!(round_trip(&events, To::Iolog, "x"), with_times(&events, 1000, 0));
        let data = without_flushes(events);
        if let Some(first) = data.first() {
            // It begins with its first request.
            prop_assert_eq!(round_trip(&data, To::Csv, "x"), with_times(&data, 100, first.at));
        }
    }
}
