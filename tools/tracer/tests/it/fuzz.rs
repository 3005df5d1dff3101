// SPDX-License-Identifier: GPL-2.0
//! Damaged traces of each format: what is read is in order and sensible, and is read again when it was written.
//!
//! The corpus is mutated by chance with a fixed seed: bytes are flipped, replaced by numbers at the end of their range,
//! left out and doubled. TRACER_FUZZ=N tries N variants of each file; 200 without it.

use crate::formats::{TEXTS, recorded};
use crate::harness::{World, corpus, read, source};
use raid_tracer::trace::write::{To, Writer};
use raid_tracer::trace::{Devices, Event, Format, MOST_BYTES, Op, SECTOR};
use shared::loads::chance::Chance;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

const ENDS: [&[u8]; 12] = [
    b"0",
    b"-1",
    b"1e400",
    b"nan",
    b"18446744073709551615",
    b"18446744073709551616",
    b"9223372036854775808",
    b"4294967296",
    b",",
    b" ",
    b"\n",
    b"\xff\xff\xff\xff",
];

fn pick(chance: &mut Chance, below: usize) -> usize {
    usize::try_from(chance.below(u64::try_from(below.max(1)).unwrap())).unwrap()
}

fn mutated(chance: &mut Chance, original: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..1 + pick(chance, 4) {
        let at = pick(chance, bytes.len());
        let end = (at + 1 + pick(chance, 24)).min(bytes.len());
        match pick(chance, 5) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << pick(chance, 8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            3 => {
                let end = ENDS[pick(chance, ENDS.len())];
                bytes.splice(at..(at + 1).min(bytes.len()), end.iter().copied());
            }
            _ => bytes.truncate(at),
        }
    }
    bytes
}

/// What any trace has to be.
fn check(events: &[Event]) {
    assert!(events.is_sorted_by_key(|event| event.at));
    for event in events {
        assert_eq!(u64::from(event.bytes) % SECTOR, 0);
        assert_eq!(event.op == Op::Flush, event.bytes == 0);
        assert!(u64::from(event.bytes) <= MOST_BYTES + SECTOR);
        assert!(event.end().checked_mul(SECTOR).is_some());
    }
}

/// Written as a list, it is the same trace.
fn again(world: &World, events: &[Event]) {
    let mut devices = Devices::default();
    devices.number("");
    let path = world.path("again");
    let mut writer = Writer::create(Some(&path), To::List).unwrap();
    let one: Vec<_> = events
        .iter()
        .map(|event| Event {
            device: 0,
            ..*event
        })
        .collect();
    for event in &one {
        writer.write(event, &devices).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(read(&source(path)).unwrap().0, one);
}

fn fuzz(world: &World, name: &str, format: Option<Format>, original: &[u8]) {
    let count = std::env::var("TRACER_FUZZ").map_or(200, |count| count.parse().unwrap());
    let mut chance = Chance(name.bytes().map(u64::from).sum());
    let mut whole = 0;
    for variant in 0..count {
        let bytes = mutated(&mut chance, original);
        let mut trace = source(world.write("trace", &bytes));
        trace.format = format;
        // As a trace of any other format it is a trace or an error.
        let mut other = source(world.path("trace"));
        other.format = Some(TEXTS[variant % TEXTS.len()].1);
        let _ = read(&other);
        let survived = catch_unwind(AssertUnwindSafe(|| match read(&trace) {
            Ok((events, ..)) => {
                check(&events);
                again(world, &events);
                1
            }
            Err(error) => {
                assert_eq!(error.to_string().lines().count(), 1);
                0
            }
        }));
        let Ok(one) = survived else {
            panic!(
                "{name}, variant {variant}: {:?}",
                String::from_utf8_lossy(&bytes)
            );
        };
        whole += one;
    }
    // Otherwise it has not tried much. Most damage of blktrace shifts all records after it.
    assert!(whole > count / 25, "{name}: {whole} of {count} are traces");
}

#[test]
fn damaged_texts() {
    let world = World::new();
    for (name, ..) in TEXTS {
        fuzz(&world, name, None, &fs::read(corpus(name)).unwrap());
    }
}

/// Of both byte orders.
#[test]
fn damaged_records_of_blktrace() {
    let world = World::new();
    for (name, big) in [("little", false), ("big", true)] {
        let records = recorded(big).concat();
        fuzz(&world, name, Some(Format::Blktrace), &records);
    }
}
