// SPDX-License-Identifier: GPL-2.0
//! What is said of an array and its members, by `paradm status` on paper and on the full screen.

use crate::array::{
    Array, Health, Log, LogState, Member, PowerControl, PowerState, ShiftState, Slots,
};
use crate::output::{Align, Tone, Word, printable, units};

/// The columns of [`member`].
pub const COLUMNS: [(&str, Align); 8] = [
    ("member", Align::Right),
    ("disk", Align::Left),
    ("power", Align::Left),
    ("busy", Align::Right),
    ("spin-ups", Align::Right),
    ("left", Align::Right),
    ("last woken", Align::Right),
    ("by", Align::Left),
];

/// One line: name, layout, gear, state.
pub fn head(array: &Array) -> Vec<Word> {
    let mut words = vec![
        Tone::Bold.word(&array.name),
        Tone::Plain.word(format!(
            "{}: {} of {}, gear ",
            link(array),
            array.layout(),
            units::bytes(array.bytes)
        )),
        Tone::Bold.word(array.gear),
        Tone::Plain.word(format!(" of {}, ", array.top_gear())),
    ];
    for (at, word) in state(array).into_iter().enumerate() {
        if at > 0 {
            words.push(Tone::Plain.word(", "));
        }
        words.push(word);
    }
    words
}

fn link(array: &Array) -> String {
    let link = array.link.as_ref();
    link.map_or_else(String::new, |link| format!(" ({})", printable(link)))
}

fn state(array: &Array) -> Vec<Word> {
    if array.degraded > 0 {
        let mut words = vec![Tone::Bad.word(format!(
            "{} of {} members missing or not rebuilt",
            array.degraded,
            array.members.len()
        ))];
        if array.health == Health::Broken {
            words.insert(0, Tone::Bad.word("BROKEN"));
        }
        if !array.failed.is_empty() {
            words.push(Tone::Bad.word(format!("failed: {}", array.failed.join(" "))));
        }
        return words;
    }
    let mut words = vec![Tone::Good.word(&array.array_state)];
    if array.scrub.action != "idle" {
        words.push(Tone::Attention.word(&array.scrub.action));
    }
    if array.scrub.mismatches > 0 {
        words.push(Tone::Bad.word(format!("{} mismatches", array.scrub.mismatches)));
    }
    if array.resync_zones.is_some() {
        words.push(Tone::Attention.word("resync"));
    }
    words
}

/// The shift that is under way, or put off.
pub fn shift(array: &Array) -> Option<String> {
    let shift = &array.shift;
    Some(match shift.state {
        ShiftState::Idle if shift.put_off.is_some() => {
            format!("shift to gear {} deferred: no spin-ups left", shift.target)
        }
        ShiftState::Idle => return None,
        ShiftState::Propagate => "propagating".to_owned(),
        ShiftState::Up => format!("shifting up to gear {}", shift.target),
        ShiftState::Down => format!("shifting down to gear {}", shift.target),
    })
}

/// The write log: how full, of which size, and what is wrong with it.
pub fn log(log: &Log) -> Vec<Word> {
    let (percent, size) = (log.filled().percent().unwrap_or(0), units::bytes(log.bytes));
    let tone = match log.state {
        LogState::Stuck => Tone::Attention,
        _ => Tone::Plain,
    };
    let mut words = vec![
        Tone::Plain.word(format!("log {percent} % of {size}, ")),
        tone.word(log.state.name()),
    ];
    for word in log_troubles(log) {
        words.push(Tone::Plain.word(", "));
        words.push(word);
    }
    words
}

/// Images of a share: what there is of slots, and what it has cost that there are no more.
pub fn slots(slots: &Slots) -> String {
    format!(
        "images of {} %: {} of {} slots free, {} hot runs, {}",
        slots.share_percent,
        slots.free,
        slots.total,
        slots.hot,
        misses(slots)
    )
}

pub fn misses(slots: &Slots) -> String {
    match slots.misses {
        1 => "1 miss".to_owned(),
        count => format!("{count} misses"),
    }
}

/// What is lost, and what could not be read from one copy.
pub fn log_troubles(log: &Log) -> Vec<Word> {
    let lost = (log.lost_bytes > 0).then(|| {
        let bytes = units::bytes(log.lost_bytes);
        Tone::Bad.word(format!("{bytes} of the array lost (paradm doctor)"))
    });
    let failed = (log.read_errors > 0).then(|| {
        let reads = if log.read_errors == 1 {
            "read"
        } else {
            "reads"
        };
        Tone::Attention.word(format!("{} {reads} of a copy failed", log.read_errors))
    });
    lost.into_iter().chain(failed).collect()
}

/// A cell for each of [`COLUMNS`].
pub fn member(member: &Member, now: i64) -> [Word; 8] {
    [
        Tone::Plain.word(member.number),
        disk(member),
        power(member),
        Tone::Plain.word(format!("{:.1} %", member.busy_percent)),
        Tone::Plain.word(member.spin_ups),
        Tone::Plain.word(member.spins_left),
        Tone::Plain.word(woken(member, now)),
        Tone::Plain.word(cause(member)),
    ]
}

fn disk(member: &Member) -> Word {
    match &member.device {
        None => Tone::Bad.word("none"),
        Some(device) if device.state.contains("in_sync") => Tone::Plain.word(&device.name),
        Some(device) => {
            // md's word for a disk that has a place, and not yet all of its data.
            let state = device.state.replace("spare", "rebuilding");
            Tone::Attention.word(format!("{} ({state})", device.name))
        }
    }
}

fn power(member: &Member) -> Word {
    let logical = member.power_control == PowerControl::Logical;
    match member.power_state {
        PowerState::Active if member.asleep => Tone::Attention.word("active, left out"),
        PowerState::Active => Tone::Good.word("active"),
        PowerState::Waking => Tone::Attention.word("waking"),
        PowerState::Asleep if logical => Tone::Dim.word("left out"),
        PowerState::Asleep => Tone::Dim.word("asleep"),
        PowerState::None => Tone::Bad.word("none"),
    }
}

fn woken(member: &Member, now: i64) -> String {
    match member.last_wake {
        None => "-".to_owned(),
        Some(at) => {
            let ago = u64::try_from(now.saturating_sub(at)).unwrap_or(0);
            format!("{} ago", units::seconds(ago))
        }
    }
}

fn cause(member: &Member) -> String {
    match member.last_wake_cause.as_str() {
        "none" => String::new(),
        cause => printable(cause),
    }
}
