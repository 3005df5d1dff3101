// SPDX-License-Identifier: GPL-2.0
//! The rows of all loads stay as they are: figures of the policy were measured with them. The hashes are FNV-1a, of 64 bits.

use shared::loads::rhythm::{self, Rhythm};
use shared::loads::{self, KINDS, Load};
use shared::request::Request;

const MOST: usize = 200_000;

/// How many, up to [`MOST`], and the hash of their lines.
fn rows(requests: impl Iterator<Item = Request>) -> (usize, u64) {
    let (mut count, mut hash, mut line) = (0, 0xcbf2_9ce4_8422_2325, String::new());
    for request in requests.take(MOST) {
        line.clear();
        line += &format!("{request}\n");
        for byte in line.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        count += 1;
    }
    (count, hash)
}

const DAYS: [(&str, usize, u64); 20] = [
    ("nas", 200000, 0xdbff9ecab6df0858),
    ("mail", 200000, 0x0a6174452b3dd6ae),
    ("archive", 85406, 0xa870ab13b725862a),
    ("cctv", 200000, 0x96e2a9674a7d12dc),
    ("seedbox", 200000, 0x88ba3a02c0eb20ca),
    ("bursts", 200000, 0x257500ee43374f4b),
    ("waves", 200000, 0xdc5198780e4635db),
    ("backup", 200000, 0xf8094d192d809b6b),
    ("build", 200000, 0xbbb90342bddfa9c0),
    ("media", 200000, 0x1ab19a2ed67a2965),
    ("database", 200000, 0x41c7dda0f063a129),
    ("scan", 200000, 0x754551f0948c3d3e),
    ("onoff", 200000, 0xfe822869fb7e5d89),
    ("hourly", 200000, 0xa495070ec809e667),
    ("guests", 200000, 0x2d815a0d8d43d165),
    ("office", 200000, 0xd306acbc193d3a03),
    ("photos", 200000, 0x0e2a4d32a89114fb),
    ("poll", 200000, 0x4153b8ade9ea83bf),
    ("laptops", 200000, 0x887c20024f03407b),
    ("crawler", 200000, 0xe64d0505dc8c4bbe),
];

#[test]
fn a_day_of_each_kind() {
    for (name, count, hash) in DAYS {
        let load = Load::new(loads::kind(name).unwrap(), &loads::Shape::default()).unwrap();
        assert_eq!(rows(load), (count, hash), "{name}");
    }
    assert_eq!(KINDS.len(), DAYS.len());
}

#[test]
fn other_days_files_and_seeds() {
    let shape = loads::Shape {
        days: 2,
        seed: 7,
        span: 9_600_000_000,
        files: 64,
        file_bytes: 16 << 20,
    };
    let load = Load::new(loads::kind("nas").unwrap(), &shape).unwrap();
    assert_eq!(rows(load), (200000, 0xd2324f5d6579e4a4));
    let shape = loads::Shape {
        days: 1,
        seed: 1,
        ..shape
    };
    assert_eq!(
        rows(loads::filling(&shape).unwrap()),
        (1024, 0x025cf3e97657d92c)
    );
}

#[test]
fn days_that_resemble_each_other() {
    let shape = rhythm::Shape {
        days: 2,
        ..rhythm::Shape::default()
    };
    assert_eq!(
        rows(Rhythm::new(&shape).unwrap()),
        (200000, 0xc119bd5a980ded1a)
    );
    let shape = rhythm::Shape {
        days: 7,
        seed: 3,
        span: 1_000_000_000,
        night: 1.0,
        noon: 9.0,
        writes: 20.0,
        places: 64,
        bursts: Some(60.0),
        ..rhythm::Shape::default()
    };
    assert_eq!(
        rows(Rhythm::new(&shape).unwrap()),
        (200000, 0xe8009ac565d94a60)
    );
}

/// Each day begins at 0.
#[test]
fn days_of_their_own() {
    let shape = rhythm::Shape {
        days: 3,
        span: 1_000_000_000,
        night: 1.0,
        noon: 9.0,
        places: 64,
        each_day: true,
        ..rhythm::Shape::default()
    };
    let mut rhythm = Rhythm::new(&shape).unwrap();
    let mut second = Vec::new();
    while let Some(request) = rhythm.next() {
        if rhythm.day() == 1 {
            second.push(request);
        }
    }
    assert_eq!(rows(second.into_iter()), (200000, 0x05d6fd45e9029917));
    let shape = rhythm::Shape {
        span: 100_000_000,
        places: 32,
        ..shape
    };
    assert_eq!(
        rows(Rhythm::new(&shape).unwrap().filling()),
        (32, 0x23c94809643549f3)
    );
}

#[test]
fn impossible_shapes_are_refused() {
    let few = loads::Shape {
        span: 1 << 30,
        ..loads::Shape::default()
    };
    let none = loads::Shape {
        files: 0,
        ..loads::Shape::default()
    };
    let small = loads::Shape {
        file_bytes: 1 << 20,
        ..loads::Shape::default()
    };
    for shape in [few, none, small] {
        assert!(
            Load::new(loads::kind("nas").unwrap(), &shape).is_err(),
            "{shape:?}"
        );
        assert!(loads::filling(&shape).is_err());
    }
    for (span, places) in [(1 << 30, 4096), (1 << 40, 15), (1 << 40, 0)] {
        let shape = rhythm::Shape {
            span,
            places,
            ..rhythm::Shape::default()
        };
        assert!(Rhythm::new(&shape).is_err(), "{shape:?}");
    }
}
