// SPDX-License-Identifier: GPL-2.0
//! `paradm status --watch`, on a terminal.

use crate::harness::paradm;
use crate::terminal::{Terminal, be_paradm, text};
use expect_test::expect_file;
use paradm::sim::{SimArray, SimLog, SimSlots, SimSystem};
use paradm::system::System;
use rustix::process::Signal;
use std::path::Path;
use std::time::Duration;

/// By itself it looks once in a test: after that, only when it is told to.
const WATCH: &str = "status --watch --interval 3600";

fn one_array() -> SimArray {
    let mut array = SimArray::new("md0", &[3, 5]);
    array.load_by_hour = vec![(9, 31.07, 88.2, 7, 1.57)];
    array
}

fn system() -> SimSystem {
    let sim = SimSystem::with([one_array()]);
    sim.world().tree.link("/dev/md/home", "/dev/md0");
    sim
}

fn act(sim: &SimSystem, what: &str) {
    let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
    match verb {
        "pass" => sim.sleep(Duration::from_secs(rest.parse().unwrap())),
        "gear" => sim
            .write(Path::new("/sys/block/md0/md/par/gear"), rest)
            .unwrap(),
        "auto" => sim
            .write(Path::new("/sys/block/md0/md/par/policy"), "auto")
            .unwrap(),
        "disturb" => {
            let mut world = sim.world();
            let (now, seconds) = (world.elapsed(), world.seconds());
            world
                .array("md0")
                .disturb(4, "process dd[913]", seconds, now);
        }
        "log" => sim.world().array("md0").log = Some(SimLog::quarter()),
        "drain" => sim.world().array("md0").log.as_mut().unwrap().state = "draining".to_owned(),
        "lose-bytes" => sim.world().array("md0").log.as_mut().unwrap().lost = 4096,
        "fail-reads" => sim.world().array("md0").log.as_mut().unwrap().read_errors = 3,
        "slots" => sim.world().array("md0").slots = Some(SimSlots::tenth()),
        "three-gears" => {
            let mut array = SimArray::new("md0", &[3, 4, 5]);
            array.slots = Some(SimSlots {
                free: 0,
                by_gear: vec![(3, 4, 0), (4, 2, 1)],
                ..SimSlots::tenth()
            });
            sim.world().stop("md0");
            sim.world().add(array);
        }
        "lose" => sim.world().array("md0").members[1].disk = None,
        "stop" => sim.world().stop("md0"),
        "start" => sim.world().add(one_array()),
        "second" => sim.world().add(SimArray::of_level("md1", 6, &[4, 8], 'k')),
        "check" => sim
            .write(Path::new("/sys/block/md0/md/sync_action"), "check")
            .unwrap(),
        "spoil" => sim.world().spoil("/sys/block/md0/md/par/gears", "three\n"),
        "trap" => sim.world().trap("/sys/block/md0/md/par/gears"),
        "nothing-was-done" => {
            let world = sim.world();
            assert!(world.written.is_empty() && world.ran.is_empty());
        }
        _ => panic!("{what}"),
    }
}

#[test]
#[ignore = "it is the other process of those below"]
fn on_the_terminal() {
    be_paradm(system, act);
}

/// The screens of a session, each with what has led to it.
#[derive(Default)]
struct Album(String);

impl Album {
    fn take(&mut self, title: &str, screen: &vt100::Screen) {
        self.0 += &format!("--- {title}\n{}\n", text(screen));
    }
}

fn is_given_back(screen: &vt100::Screen) {
    assert!(!screen.alternate_screen() && !screen.hide_cursor());
    let text = text(screen);
    assert!(!text.contains("gear"), "{text}");
}

#[test]
fn shifts_as_they_go_on() {
    let mut terminal = Terminal::run(WATCH, 24, 100, &[]);
    let mut album = Album::default();
    let first = terminal.screen_with("the top gear");
    assert!(first.alternate_screen() && first.hide_cursor());
    album.take("in the top gear", &first);
    terminal.tell("pass 600");
    terminal.tell("gear 3");
    terminal.tell("pass 10");
    album.take("half of a shift down", &terminal.after("r"));
    terminal.tell("pass 10");
    album.take("in the low gear", &terminal.after("r"));
    terminal.tell("pass 7200");
    terminal.tell("disturb");
    terminal.tell("pass 60");
    album.take("somebody has started a disk", &terminal.after(" "));
    terminal.tell("gear 5");
    terminal.tell("pass 2");
    album.take("disks start", &terminal.after("r"));
    terminal.tell("pass 10");
    album.take("it propagates", &terminal.after("r"));
    terminal.tell("pass 10");
    terminal.tell("check");
    terminal.tell("pass 7200");
    album.take("a check", &terminal.after("r"));
    terminal.tell("pass 90000");
    terminal.tell("lose");
    album.take("a day later, without member 1", &terminal.after("r"));
    terminal.type_keys("q");
    let (status, screen) = terminal.end();
    assert_eq!(status.code(), Some(0));
    is_given_back(&screen);
    expect_file!["../golden/watch.txt"].assert_eq(&album.0);
}

#[test]
fn terminals_of_all_sizes() {
    let mut terminal = Terminal::run(WATCH, 24, 80, &[]);
    let mut album = Album::default();
    terminal.screen_with("the top gear");
    terminal.tell("second");
    album.take("two arrays", &terminal.after("r"));
    album.take("down", &terminal.after("j"));
    album.take("a page down", &terminal.after("\x1b[6~"));
    album.take("at the end", &terminal.after("\x1b[F"));
    album.take("up", &terminal.after("\x1b[A"));
    album.take("at the beginning", &terminal.after("g"));
    for (rows, columns) in [(12, 60), (10, 30), (3, 12), (2, 8), (1, 3), (1, 1)] {
        terminal.resize(rows, columns);
        let screen = terminal.screen_with(if columns > 2 { "md0" } else { "m" });
        album.take(&format!("{columns} columns, {rows} rows"), &screen);
    }
    terminal.resize(60, 132);
    album.take("132 columns, 60 rows", &terminal.screen_with("sdr"));
    // Ctrl-C
    terminal.type_keys("\x03");
    let (status, screen) = terminal.end();
    assert_eq!(status.code(), Some(0));
    is_given_back(&screen);
    expect_file!["../golden/watch-sizes.txt"].assert_eq(&album.0);
}

#[test]
fn what_comes_and_goes() {
    let mut terminal = Terminal::run(&format!("{WATCH} /dev/md/home"), 14, 90, &[]);
    let mut album = Album::default();
    terminal.screen_with("the top gear");
    terminal.tell("stop");
    album.take("stopped", &terminal.after("r"));
    terminal.tell("start");
    album.take("started", &terminal.after("r"));
    terminal.tell("spoil");
    album.take("a file that is not understood", &terminal.after("r"));
    terminal.signal(Signal::TERM);
    let (status, screen) = terminal.end();
    assert_eq!(status.code(), Some(0));
    is_given_back(&screen);
    expect_file!["../golden/watch-gone.txt"].assert_eq(&album.0);
}

#[test]
fn a_write_log() {
    let mut terminal = Terminal::run(WATCH, 14, 100, &[]);
    let mut album = Album::default();
    terminal.screen_with("the top gear");
    terminal.tell("log");
    album.take("a quarter of it is in use", &terminal.after("r"));
    terminal.tell("drain");
    terminal.tell("lose-bytes");
    terminal.tell("fail-reads");
    album.take(
        "it drains, a block is lost, and reads of a copy fail",
        &terminal.after("r"),
    );
    terminal.resize(14, 30);
    album.take("30 columns", &terminal.screen_with("md0"));
    terminal.type_keys("q");
    assert_eq!(terminal.end().0.code(), Some(0));
    expect_file!["../golden/watch-log.txt"].assert_eq(&album.0);
}

#[test]
fn images_of_a_share() {
    let mut terminal = Terminal::run(WATCH, 12, 80, &[]);
    let mut album = Album::default();
    let all = terminal.screen_with("the top gear");
    assert!(!text(&all).contains("slots"), "{}", text(&all));
    terminal.tell("slots");
    album.take("a tenth has images", &terminal.after("r"));
    terminal.tell("three-gears");
    album.take(
        "three gears, no free slot, and one miss",
        &terminal.after("r"),
    );
    terminal.resize(12, 30);
    album.take("30 columns", &terminal.screen_with("md0"));
    terminal.type_keys("q");
    assert_eq!(terminal.end().0.code(), Some(0));
    expect_file!["../golden/watch-slots.txt"].assert_eq(&album.0);
}

#[test]
fn without_an_array_it_waits_for_one() {
    let mut terminal = Terminal::run(WATCH, 24, 80, &[]);
    terminal.screen_with("the top gear");
    terminal.tell("stop");
    assert!(text(&terminal.after("r")).starts_with("|no par array runs here "));
    terminal.tell("start");
    assert!(text(&terminal.after("r")).starts_with("|md0 (home): raid5:3,5 "));
    terminal.tell("nothing-was-done");
    terminal.type_keys("\x1b");
    assert_eq!(terminal.end().0.code(), Some(0));
}

#[test]
fn it_looks_by_itself() {
    let mut terminal = Terminal::run("status --watch --interval 1", 24, 80, &[]);
    terminal.screen_with("gear 5 of 5");
    terminal.tell("gear 3");
    terminal.tell("pass 60");
    terminal.screen_with("gear 3 of 5");
    terminal.signal(Signal::HUP);
    assert_eq!(terminal.end().0.code(), Some(0));
}

#[test]
fn a_panic_gives_the_terminal_back_and_is_told() {
    let mut terminal = Terminal::run(WATCH, 24, 80, &[]);
    terminal.screen_with("the top gear");
    terminal.tell("trap");
    terminal.type_keys("r");
    let (status, screen) = terminal.end();
    assert_ne!(status.code(), Some(0));
    assert!(!screen.alternate_screen() && !screen.hide_cursor());
    assert!(
        text(&screen).contains("/md/par/gears was read"),
        "{}",
        text(&screen)
    );
}

#[test]
fn colour_is_as_asked_for() {
    let is_green = |line: &str, envs: &[(&str, &str)]| {
        let mut terminal = Terminal::run(line, 24, 80, envs);
        terminal.tell("gear 3");
        terminal.tell("pass 60");
        terminal.screen_with("q: end");
        let screen = terminal.after("r");
        assert!(screen.contents().contains("asleep"));
        let bytes = String::from_utf8(screen.contents_formatted()).unwrap();
        bytes.contains("\x1b[32m")
    };
    assert!(is_green(WATCH, &[]));
    assert!(!is_green(WATCH, &[("NO_COLOR", "1")]));
    assert!(is_green(
        &format!("{WATCH} --color always"),
        &[("NO_COLOR", "1")]
    ));
    assert!(!is_green(&format!("{WATCH} --color never"), &[]));
}

/// What is no screen, too.
#[test]
fn text_has_colour_on_a_terminal() {
    let is_green = |line: &str, envs: &[(&str, &str)]| {
        let (status, screen) = Terminal::run(line, 24, 80, envs).end();
        assert_eq!(status.code(), Some(0));
        assert!(screen.contents().contains("active"));
        let bytes = String::from_utf8(screen.contents_formatted()).unwrap();
        bytes.contains("\x1b[32m")
    };
    assert!(is_green("status", &[]));
    assert!(is_green("status", &[("NO_COLOR", "")]));
    assert!(!is_green("status", &[("NO_COLOR", "1")]));
    assert!(!is_green("status --color never", &[]));
    assert!(is_green("status --color always", &[("NO_COLOR", "1")]));
    assert!(!paradm(&system(), "status").out.contains('\x1b'));
}

#[test]
fn what_cannot_be_shown_is_told_in_a_line() {
    for (line, code, said) in [
        (
            "status --watch",
            2,
            "paradm: status --watch needs a terminal: the output is none; without --watch, status tells once\n",
        ),
        (
            "status --watch --json",
            2,
            "paradm: --watch cannot be used with --json; usage: paradm status ",
        ),
        (
            "status --interval 5",
            2,
            "paradm: --watch is missing; usage: paradm status ",
        ),
        (
            "status --watch --interval 0",
            2,
            "paradm: \"0\" is no value of --interval <SECONDS>: it is from 1 to 3600\n",
        ),
    ] {
        let left = paradm(&system(), line);
        assert_eq!((left.code, left.out.as_str()), (code, ""), "{line}");
        assert!(left.err.starts_with(said), "{line}: {}", left.err);
    }
    let refused = |line: &str, envs: &[(&str, &str)], code: i32, said: &str| {
        let (status, screen) = Terminal::run(line, 24, 100, envs).end();
        assert_eq!(status.code(), Some(code), "{line}");
        assert!(text(&screen).contains(said), "{}", text(&screen));
    };
    refused(
        WATCH,
        &[("TERM", "dumb")],
        2,
        "paradm: status --watch needs a terminal: TERM=dumb says",
    );
    refused(
        &format!("{WATCH} md7"),
        &[],
        3,
        "paradm: md7 is not a running par array; there are: md0",
    );
}
