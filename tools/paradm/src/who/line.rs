// SPDX-License-Identifier: GPL-2.0
//! Lines of tracefs' `trace_pipe`, as the kernel's `TP_printk` has them for those events that are
//! asked for.

/// An event, and the thread that was running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub comm: String,
    pub thread: u32,
    pub event: Event,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// `block_bio_queue`: a request is handed to a device, MAJOR:MINOR.
    Request {
        device: String,
        write: bool,
        bytes: u64,
    },
    /// `block_rq_issue` of a command that is neither read nor write, such as smartctl's.
    Command { device: String },
    /// `writeback_mark_inode_dirty`: a file is changed whose data is written later, by others.
    Changed { device: String, inode: u64 },
    /// `par_decision`: the policy wants another gear.
    Decision {
        array: String,
        gear: u32,
        decided: u32,
        reason: String,
        /// hundredths of a percent
        busy: u32,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed {
    Line(Line),
    /// The buffer was full: so many events were dropped.
    Lost(u64),
}

/// `None`: neither of these.
pub fn parse(text: &str) -> Option<Parsed> {
    lost(text)
        .map(Parsed::Lost)
        .or_else(|| event(text).map(Parsed::Line))
}

/// `CPU:1 [LOST 12 EVENTS]`
fn lost(text: &str) -> Option<u64> {
    let rest = text.trim().strip_prefix("CPU:")?;
    let (_, rest) = rest.split_once("[LOST ")?;
    rest.strip_suffix(" EVENTS]")?.parse().ok()
}

type Body = fn(&str) -> Option<Event>;

const EVENTS: [(&str, Body); 4] = [
    (": block_bio_queue: ", request),
    (": block_rq_issue: ", command),
    (": writeback_mark_inode_dirty: ", changed),
    (": par_decision: ", decision),
];

fn event(text: &str) -> Option<Line> {
    // The name of a thread is shorter than any of these, so that none can hold one.
    let (head, body, parse) = EVENTS.iter().find_map(|(mark, parse)| {
        let (head, body) = text.split_once(mark)?;
        Some((head, body, parse))
    })?;
    let (comm, thread) = thread(head)?;
    Some(Line {
        comm,
        thread,
        event: parse(body.trim_end())?,
    })
}

/// `    kworker/u8:1-55   (  2) [001] d..1.   123.456`: name and number may be parted by a group,
/// and the name itself may hold spaces and hyphens.
fn thread(head: &str) -> Option<(String, u32)> {
    let (before, _) = head.rsplit_once('[')?;
    let mut before = before.trim_end();
    if let Some(open) = before.strip_suffix(')').and_then(|rest| rest.rfind('(')) {
        before = before.get(..open)?.trim_end();
    }
    let (comm, number) = before.rsplit_once('-')?;
    let comm = match comm.trim_start() {
        "<...>" => "",
        comm => comm,
    };
    Some((comm.to_owned(), number.parse().ok()?))
}

/// `8,64`
fn device(word: &str) -> Option<String> {
    let (major, minor) = word.split_once(',')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    Some(format!("{major}:{minor}"))
}

/// `9,0 WS 2048 + 16 [dd]`
fn request(body: &str) -> Option<Event> {
    let mut words = body.split(' ');
    let device = device(words.next()?)?;
    let kind = words.next()?;
    let mut words = words.skip(1).skip_while(|word| *word != "+");
    let sectors: u64 = words.nth(1)?.parse().ok()?;
    Some(Event::Request {
        device,
        write: !kind.starts_with('R'),
        bytes: sectors.checked_mul(512)?,
    })
}

/// `8,64 N 512 () 0 + 0 none,0,0 [smartctl]`
fn command(body: &str) -> Option<Event> {
    let device = device(body.split(' ').next()?)?;
    Some(Event::Command { device })
}

/// `bdi 9:0: ino=12 state=… flags=…`
fn changed(body: &str) -> Option<Event> {
    let (device, rest) = body.strip_prefix("bdi ")?.split_once(": ino=")?;
    let inode = rest.split(' ').next()?.parse().ok()?;
    Some(Event::Changed {
        device: device.to_owned(),
        inode,
    })
}

/// `md0 gear=3 target=3 decided=5 reason=load about=5 seconds=0 busy=7213+310 about_busy=…`
fn decision(body: &str) -> Option<Event> {
    let value = |key: &str| {
        body.split(' ')
            .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    };
    Some(Event::Decision {
        array: body.split(' ').next()?.to_owned(),
        gear: value("gear")?.parse().ok()?,
        decided: value("decided")?.parse().ok()?,
        reason: value("reason")?.to_owned(),
        busy: value("busy")?.split('+').next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> (String, u32, Event) {
        match parse(text) {
            Some(Parsed::Line(line)) => (line.comm, line.thread, line.event),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn requests_are_of_reads_and_others() {
        let text = "              dd-913     [000] ..... 12.345678: block_bio_queue: 8,64 RA 2048 + 16 [dd]";
        let event = Event::Request {
            device: "8:64".to_owned(),
            write: false,
            bytes: 8192,
        };
        assert_eq!(parsed(text), ("dd".to_owned(), 913, event));
        let text = " md0_par-77 [001] d..1. 1.2: block_bio_queue: 9,0 FWS 0 + 0 [md0_par]";
        let event = Event::Request {
            device: "9:0".to_owned(),
            write: true,
            bytes: 0,
        };
        assert_eq!(parsed(text), ("md0_par".to_owned(), 77, event));
    }

    #[test]
    fn any_name_of_a_thread_is_read() {
        for (head, comm) in [
            ("  kworker/u8:1-55", "kworker/u8:1"),
            ("  a b-c [7]-d-55", "a b-c [7]-d"),
            ("  tokio-runtime-w-55   (   12)", "tokio-runtime-w"),
            ("  x-55 (-------)", "x"),
            ("  f(x)-55", "f(x)"),
            ("  <...>-55", ""),
        ] {
            let text = format!(
                "{head} [003] ..... 1.000001: block_rq_issue: 8,64 N 512 () 0 + 0 none,0,0 [x]"
            );
            let event = Event::Command {
                device: "8:64".to_owned(),
            };
            assert_eq!(parsed(&text), (comm.to_owned(), 55, event), "{text}");
        }
    }

    #[test]
    fn files_that_are_changed_and_what_the_policy_wants() {
        let text = " cp-9 [000] ..... 1.1: writeback_mark_inode_dirty: bdi 9:0: ino=131 state=I_DIRTY flags=I_DIRTY_PAGES";
        let event = Event::Changed {
            device: "9:0".to_owned(),
            inode: 131,
        };
        assert_eq!(parsed(text).2, event);
        let text = " md0_par-77 [000] ..... 1.1: par_decision: md0 gear=3 target=3 decided=5 reason=load about=5 seconds=0 busy=7213+310 about_busy=4300+200";
        let event = Event::Decision {
            array: "md0".to_owned(),
            gear: 3,
            decided: 5,
            reason: "load".to_owned(),
            busy: 7213,
        };
        assert_eq!(parsed(text).2, event);
    }

    #[test]
    fn what_was_lost_is_counted_and_what_is_else_is_none() {
        assert_eq!(parse("CPU:1 [LOST 12 EVENTS]\n"), Some(Parsed::Lost(12)));
        for text in [
            "",
            "# tracer: nop",
            "dd-913 [000] 1.1: block_bio_queue: 8,64 R 2048 16 [dd]",
            "dd-913 [000] 1.1: block_bio_queue: 864 R 2048 + 16 [dd]",
            "dd-913 [000] 1.1: block_bio_queue: 8,64 R 2048 + 99999999999999999999 [dd]",
            "dd-913 [000] 1.1: block_bio_queue: 8,64 R 2048 + 18446744073709551615 [dd]",
            "dd [000] 1.1: block_bio_queue: 8,64 R 2048 + 16 [dd]",
            "dd-913 1.1: block_bio_queue: 8,64 R 2048 + 16 [dd]",
            "dd-913 [000] 1.1: par_decision: md0 gear=3",
            "dd-913 [000] 1.1: writeback_mark_inode_dirty: bdi 9:0: ino=x state=",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_line_or_none(
            head in "[ -~]{0,30}", mark in prop::sample::select(EVENTS.map(|(mark, _)| mark).to_vec()),
            body in "[ -~]{0,60}|8,64 [RWFDNAS]{0,4} [0-9]{0,22} \\+ [0-9]{0,22} \\[.*\\]|bdi .*: ino=.*|md0( [a-z]*=[0-9]*){0,9}",
        ) {
            let _ = parse(&body);
            let _ = parse(&format!("{head}{mark}{body}"));
            let _ = parse(&format!("{head}-9 [000] 1.1{mark}{body}"));
        }

        #[test]
        fn a_thread_is_named_as_it_is(comm in "[!-~]([ -~]{0,13}[!-~])?", thread: u32, cpu in 0u32..999, sectors in 0u64..1 << 40) {
            prop_assume!(comm != "<...>");
            let text = format!("{comm:>16}-{thread:<7} [{cpu:03}] d..2. 1.000002: block_bio_queue: 253,7 R 0 + {sectors} [{comm}]");
            let event = Event::Request { device: "253:7".to_owned(), write: false, bytes: sectors * 512 };
            prop_assert_eq!(parsed(&text), (comm, thread, event));
        }
    }
}
