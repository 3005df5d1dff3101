// SPDX-License-Identifier: GPL-2.0
//! The kinds. All numbers are ours, after how such systems are described; none is taken from a trace.

use super::{Kind, Length, Source, Spread};

const HOUR: f64 = super::HOUR;
const DAY: f64 = super::DAY;
const KIB: u32 = 1024;
const MIB: u32 = 1024 * KIB;
const PAGE: u32 = 4096;

const fn regular(mean: f64) -> Length {
    length(mean, Spread::Regular)
}

const fn chance(mean: f64) -> Length {
    length(mean, Spread::Chance)
}

const fn heavy(mean: f64) -> Length {
    length(mean, Spread::Heavy)
}

const fn loose(mean: f64) -> Length {
    length(mean, Spread::Loose)
}

const fn length(mean: f64, spread: Spread) -> Length {
    Length { mean, spread }
}

/// What a source does not say.
const SOURCE: Source = Source {
    from: 0.0,
    to: 0.0,
    pause: regular(0.0),
    lasts: regular(0.0),
    rate: 0.0,
    even: false,
    bytes: 0,
    mixed: false,
    writes: 0,
    flush: 0,
    sequential: false,
    workdays: false,
};

pub static KINDS: &[Kind] = &[
    Kind {
        name: "nas",
        what: "a household's: somebody now and then, evenings, a nightly job",
        sources: &[
            Source {
                from: 7.0,
                to: 23.0,
                pause: chance(420.0),
                lasts: loose(20.0),
                rate: 20.0,
                mixed: true,
                writes: 20,
                ..SOURCE
            },
            Source {
                from: 18.0,
                to: 23.0,
                pause: chance(900.0),
                lasts: heavy(300.0),
                rate: 60.0,
                mixed: true,
                writes: 30,
                ..SOURCE
            },
            Source {
                from: 3.0,
                to: 3.01,
                pause: regular(DAY),
                lasts: loose(1800.0),
                rate: 150.0,
                bytes: 64 * KIB,
                sequential: true,
                ..SOURCE
            },
            Source {
                pause: regular(600.0),
                lasts: regular(1.0),
                rate: 4.0,
                bytes: PAGE,
                writes: 100,
                flush: 2,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "mail",
        what: "a mail server: small, half of it written, flushed",
        sources: &[
            Source {
                from: 8.0,
                to: 18.0,
                workdays: true,
                lasts: loose(60.0),
                pause: chance(60.0),
                rate: 40.0,
                mixed: true,
                writes: 50,
                flush: 2,
                ..SOURCE
            },
            Source {
                lasts: chance(10.0),
                pause: chance(20.0),
                rate: 12.0,
                mixed: true,
                writes: 60,
                flush: 2,
                ..SOURCE
            },
            Source {
                from: 1.0,
                to: 1.01,
                pause: regular(DAY),
                lasts: loose(1200.0),
                rate: 200.0,
                mixed: true,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "archive",
        what: "hardly ever read, filled at night",
        sources: &[
            Source {
                from: 8.0,
                to: 20.0,
                pause: chance(2400.0),
                lasts: heavy(40.0),
                rate: 40.0,
                bytes: MIB,
                sequential: true,
                ..SOURCE
            },
            Source {
                from: 22.0,
                to: 22.01,
                pause: regular(DAY),
                lasts: loose(2400.0),
                rate: 60.0,
                bytes: MIB,
                writes: 100,
                sequential: true,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "cctv",
        what: "eight cameras, written back every 5 s, looked at now and then",
        sources: &[
            Source {
                pause: regular(5.0),
                lasts: regular(0.1),
                rate: 400.0,
                even: true,
                bytes: 512 * KIB,
                writes: 100,
                sequential: true,
                ..SOURCE
            },
            Source {
                pause: regular(30.0),
                lasts: regular(0.2),
                rate: 50.0,
                even: true,
                bytes: PAGE,
                writes: 100,
                flush: 10,
                ..SOURCE
            },
            Source {
                from: 8.0,
                to: 22.0,
                pause: chance(5400.0),
                lasts: loose(240.0),
                rate: 8.0,
                bytes: 512 * KIB,
                sequential: true,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "seedbox",
        what: "pieces of files for whoever asks, all day",
        sources: &[
            Source {
                pause: chance(120.0),
                lasts: loose(1200.0),
                rate: 18.0,
                bytes: 16 * KIB,
                ..SOURCE
            },
            Source {
                pause: chance(300.0),
                lasts: heavy(600.0),
                rate: 25.0,
                bytes: 64 * KIB,
                ..SOURCE
            },
            Source {
                pause: chance(7200.0),
                lasts: loose(900.0),
                rate: 10.0,
                bytes: 256 * KIB,
                writes: 100,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "bursts",
        what: "a thousand reads within half a second, every 5 minutes",
        sources: &[Source {
            pause: regular(300.0),
            lasts: regular(0.5),
            rate: 2000.0,
            even: true,
            bytes: PAGE,
            ..SOURCE
        }],
    },
    Kind {
        name: "waves",
        what: "30 s of load, every 7 minutes",
        sources: &[
            Source {
                pause: regular(420.0),
                lasts: regular(30.0),
                rate: 200.0,
                mixed: true,
                writes: 5,
                ..SOURCE
            },
            Source {
                pause: chance(10.0),
                lasts: regular(1.0),
                rate: 4.0,
                mixed: true,
                writes: 5,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "backup",
        what: "quiet, but for a backup that is read at night and what is checked after it",
        sources: &[
            Source {
                pause: chance(200.0),
                lasts: chance(5.0),
                rate: 10.0,
                mixed: true,
                writes: 30,
                flush: 8,
                ..SOURCE
            },
            Source {
                from: 1.0,
                to: 1.01,
                pause: regular(DAY),
                lasts: loose(5400.0),
                rate: 260.0,
                bytes: 256 * KIB,
                sequential: true,
                ..SOURCE
            },
            Source {
                from: 1.0,
                to: 1.01,
                pause: regular(DAY),
                lasts: loose(5400.0),
                rate: 80.0,
                mixed: true,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "build",
        what: "builds in office hours, minutes each",
        sources: &[
            Source {
                from: 9.0,
                to: 18.0,
                workdays: true,
                pause: chance(400.0),
                lasts: loose(240.0),
                rate: 220.0,
                mixed: true,
                writes: 15,
                ..SOURCE
            },
            Source {
                from: 9.0,
                to: 18.0,
                workdays: true,
                pause: chance(60.0),
                lasts: chance(4.0),
                rate: 40.0,
                mixed: true,
                writes: 20,
                flush: 8,
                ..SOURCE
            },
            Source {
                from: 23.0,
                to: 23.01,
                pause: regular(DAY),
                lasts: loose(3600.0),
                rate: 240.0,
                mixed: true,
                writes: 15,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "media",
        what: "films in the evening, one or more at a time",
        sources: &[
            Source {
                from: 17.0,
                to: 24.0,
                pause: chance(1800.0),
                lasts: loose(5400.0),
                rate: 4.0,
                even: true,
                bytes: MIB,
                sequential: true,
                ..SOURCE
            },
            Source {
                from: 19.0,
                to: 23.0,
                pause: chance(1200.0),
                lasts: loose(5400.0),
                rate: 8.0,
                even: true,
                bytes: MIB,
                sequential: true,
                ..SOURCE
            },
            Source {
                from: 14.0,
                to: 22.0,
                pause: chance(3600.0),
                lasts: loose(1200.0),
                rate: 2.0,
                even: true,
                bytes: 256 * KIB,
                sequential: true,
                ..SOURCE
            },
            Source {
                pause: chance(3600.0),
                lasts: loose(60.0),
                rate: 60.0,
                mixed: true,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "database",
        what: "transactions in office hours, all flushed, and a batch at night",
        sources: &[
            Source {
                from: 8.0,
                to: 19.0,
                workdays: true,
                pause: chance(30.0),
                lasts: loose(300.0),
                rate: 60.0,
                bytes: 8 * KIB,
                writes: 25,
                flush: 1,
                ..SOURCE
            },
            Source {
                pause: regular(60.0),
                lasts: regular(1.0),
                rate: 20.0,
                bytes: 8 * KIB,
                writes: 80,
                flush: 8,
                ..SOURCE
            },
            Source {
                from: 2.0,
                to: 2.01,
                pause: regular(DAY),
                lasts: loose(3600.0),
                rate: 180.0,
                bytes: 8 * KIB,
                writes: 10,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "scan",
        what: "all that is there is looked through, some times a day",
        sources: &[
            Source {
                pause: loose(14400.0),
                lasts: loose(900.0),
                rate: 280.0,
                bytes: 128 * KIB,
                sequential: true,
                ..SOURCE
            },
            Source {
                pause: loose(21600.0),
                lasts: loose(600.0),
                rate: 250.0,
                bytes: 4 * KIB,
                ..SOURCE
            },
            Source {
                pause: chance(300.0),
                lasts: chance(3.0),
                rate: 15.0,
                mixed: true,
                writes: 40,
                flush: 4,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "onoff",
        what: "on and off, both for seconds or for hours",
        sources: &[Source {
            pause: heavy(300.0),
            lasts: heavy(120.0),
            rate: 240.0,
            mixed: true,
            writes: 5,
            ..SOURCE
        }],
    },
    // Kept aside: these were not looked at when the policy's rules were chosen.
    Kind {
        name: "hourly",
        what: "aside: a job of five minutes each hour",
        sources: &[
            Source {
                pause: regular(HOUR),
                lasts: loose(300.0),
                rate: 230.0,
                mixed: true,
                writes: 10,
                ..SOURCE
            },
            Source {
                pause: chance(90.0),
                lasts: chance(4.0),
                rate: 10.0,
                mixed: true,
                writes: 20,
                flush: 6,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "guests",
        what: "aside: virtual machines, never quiet and rarely busy",
        sources: &[
            Source {
                pause: chance(20.0),
                lasts: loose(60.0),
                rate: 25.0,
                mixed: true,
                writes: 30,
                flush: 8,
                ..SOURCE
            },
            Source {
                pause: chance(60.0),
                lasts: heavy(90.0),
                rate: 50.0,
                mixed: true,
                writes: 20,
                flush: 8,
                ..SOURCE
            },
            Source {
                pause: chance(1200.0),
                lasts: loose(300.0),
                rate: 150.0,
                mixed: true,
                writes: 10,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "office",
        what: "aside: files of an office, and its virus scanner at noon",
        sources: &[
            Source {
                from: 8.0,
                to: 18.0,
                workdays: true,
                pause: chance(15.0),
                lasts: heavy(8.0),
                rate: 45.0,
                mixed: true,
                writes: 20,
                ..SOURCE
            },
            Source {
                from: 8.0,
                to: 18.0,
                workdays: true,
                pause: chance(240.0),
                lasts: loose(15.0),
                rate: 60.0,
                bytes: 256 * KIB,
                writes: 40,
                sequential: true,
                ..SOURCE
            },
            Source {
                from: 12.0,
                to: 12.01,
                pause: regular(DAY),
                lasts: loose(2700.0),
                rate: 200.0,
                mixed: true,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "photos",
        what: "aside: cards are copied to it, and made smaller pictures of",
        sources: &[
            Source {
                from: 9.0,
                to: 19.0,
                pause: chance(7200.0),
                lasts: loose(480.0),
                rate: 90.0,
                bytes: MIB,
                writes: 100,
                sequential: true,
                ..SOURCE
            },
            Source {
                from: 9.0,
                to: 20.0,
                pause: chance(3600.0),
                lasts: heavy(600.0),
                rate: 120.0,
                bytes: 64 * KIB,
                ..SOURCE
            },
            Source {
                pause: chance(60.0),
                lasts: chance(2.0),
                rate: 6.0,
                mixed: true,
                writes: 10,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "poll",
        what: "aside: ten seconds of load, every minute and a half",
        sources: &[Source {
            pause: regular(90.0),
            lasts: regular(10.0),
            rate: 240.0,
            mixed: true,
            ..SOURCE
        }],
    },
    Kind {
        name: "laptops",
        what: "aside: copies of laptops, which are brought up to date when they are at home",
        sources: &[
            Source {
                from: 7.0,
                to: 9.0,
                pause: chance(900.0),
                lasts: loose(200.0),
                rate: 120.0,
                mixed: true,
                writes: 35,
                flush: 16,
                ..SOURCE
            },
            Source {
                from: 17.0,
                to: 23.0,
                pause: chance(1500.0),
                lasts: heavy(400.0),
                rate: 120.0,
                mixed: true,
                writes: 35,
                flush: 16,
                ..SOURCE
            },
            Source {
                pause: chance(900.0),
                lasts: chance(3.0),
                rate: 10.0,
                mixed: true,
                ..SOURCE
            },
        ],
    },
    Kind {
        name: "crawler",
        what: "aside: pages are appended all day, and an index of them is made now and then",
        sources: &[
            Source {
                pause: regular(20.0),
                lasts: regular(0.5),
                rate: 40.0,
                even: true,
                bytes: 128 * KIB,
                writes: 100,
                sequential: true,
                ..SOURCE
            },
            Source {
                pause: loose(2700.0),
                lasts: loose(500.0),
                rate: 210.0,
                mixed: true,
                writes: 8,
                ..SOURCE
            },
            Source {
                pause: chance(40.0),
                lasts: chance(6.0),
                rate: 12.0,
                bytes: 16 * KIB,
                ..SOURCE
            },
        ],
    },
];
