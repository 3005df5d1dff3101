// SPDX-License-Identifier: GPL-2.0
//! Bad input for every option and argument of every command: each is refused with its exit code and
//! an error that can be read, and nothing is written or run.

use crate::create;
use crate::harness::{golden, paradm, session};
use clap::{Arg, ArgAction, Command, CommandFactory};
use expect_test::expect_file;
use paradm::cli::{self, Cli};
use paradm::error::exit;
use paradm::sim::SimSystem;
use std::collections::BTreeSet;

const NO_ARRAY: &[&str] = &[
    "md7",
    "",
    "MD0",
    "md",
    "0",
    "/dev/none",
    "*",
    "/no/such/md0",
    "./md0",
    "/sys/block/md0",
    "/dev/../md0",
];
const NO_TIME: &[&str] = &["", "x", "25:00", "12:60", "2020-01-01 00:00", "yesterday"];
const NO_PAST: &[&str] = &[
    "",
    "x",
    "25:00",
    "2999-01-01 00:00",
    "-1h",
    "yesterday",
    "999999999days",
];
const NO_LENGTH: &[&str] = &["", "0", "x", "-1h", "5parsecs", "99999999999999999999h"];
const NO_GEARS: &[&str] = &[
    "",
    "5",
    "x,y",
    "5,3",
    "3,3",
    "0,5",
    "-1,5",
    "3;5",
    "3,99999999999",
];
const NO_NUMBER: &[&str] = &["", "x", "-1", "1.5", "0x10", "99999999999999999999"];
const NO_WATTS: &[&str] = &["", "x", "-1", "nan", "inf", "1e999"];
const NO_LEVEL: &[&str] = &["", "raid1", "5", "RAID5"];
const NO_CHUNK: &[&str] = &["", "x", "-64", "0", "32", "65", "32768"];
const NO_LOG: &[&str] = &["", "x", "None", "-8G", "8GiB", "1.5G", "4095", "99999999T"];
const NO_SHARE: &[&str] = &["", "x", "-1", "0", "101", "2.5", "10%", "4294967297"];
const DISKS: &str = "/dev/sdv /dev/sdw /dev/sdx";

/// A line with `{}` for the value; which argument of which command it is, and how it ends.
struct Wrong {
    command: &'static str,
    argument: &'static str,
    line: String,
    values: &'static [&'static str],
    code: u8,
}

fn wrong(
    command: &'static str,
    argument: &'static str,
    rest: &str,
    values: &'static [&'static str],
    code: u8,
) -> Wrong {
    Wrong {
        command,
        argument,
        line: format!("{command} {rest}"),
        values,
        code,
    }
}

fn table() -> Vec<Wrong> {
    use exit::{NOT_FOUND, REFUSED, USAGE};
    let create = |rest: &str| format!("md9 {DISKS} {rest}");
    let mut table = vec![
        wrong(
            "create",
            "array",
            &format!("{{}} {DISKS}"),
            &["", "/tmp/md1", "md 1"],
            USAGE,
        ),
        wrong(
            "create",
            "devices",
            "md9 /dev/sdv {}",
            &["/dev/none", "/etc"],
            NOT_FOUND,
        ),
        wrong("create", "gears", &create("--gears={}"), NO_GEARS, USAGE),
        wrong("create", "level", &create("--level={}"), NO_LEVEL, USAGE),
        wrong("create", "chunk", &create("--chunk={}"), NO_CHUNK, USAGE),
        wrong(
            "create",
            "log_size",
            &create("--log-size={}"),
            NO_LOG,
            USAGE,
        ),
        wrong(
            "create",
            "image_share",
            &create("--image-share={}"),
            NO_SHARE,
            USAGE,
        ),
        wrong("create", "spares", &create("--spares={}"), NO_NUMBER, USAGE),
        wrong(
            "create",
            "spares",
            &create("--spares={}"),
            &["3", "101"],
            USAGE,
        ),
        wrong("daemon", "config", "--config={}", &[""], USAGE),
        wrong(
            "daemon",
            "config",
            "--config={}",
            &["/none/such", "/etc", "none.toml"],
            exit::UNREADABLE,
        ),
        wrong("events", "since", "--since={}", NO_PAST, USAGE),
        wrong(
            "events",
            "kind",
            "--kind={}",
            &["", "x", "wake,x", "WAKE", "wake,"],
            USAGE,
        ),
        // There are files, which are no configuration.
        wrong(
            "daemon",
            "config",
            "--check --config={}",
            &["/sys/block/md0/md/level"],
            USAGE,
        ),
        wrong(
            "metrics",
            "textfile",
            "--textfile={}",
            &["", "x", "/tmp/x.txt"],
            USAGE,
        ),
        wrong(
            "pin set",
            "gears",
            "{}",
            &["", "x", "4", "5-3", "3-", "-", "2-9", "0"],
            USAGE,
        ),
        wrong("pin set", "until", "5 --until={}", NO_TIME, USAGE),
        wrong("pin set", "length", "5 --for={}", NO_LENGTH, USAGE),
        wrong("plan", "devices", "{}", &["/dev/none"], NOT_FOUND),
        wrong("plan", "devices", "{}", &["", "sdz"], USAGE),
        wrong(
            "plan",
            "offer",
            "--offer={} --data=8T",
            &["", "4T", "=90", "4T=", "4T=x", "4T=-1", "x=90"],
            USAGE,
        ),
        wrong(
            "plan",
            "budget",
            "--offer=4T=90 --data=8T --budget={}",
            &["", "x", "-1", "nan"],
            USAGE,
        ),
        wrong(
            "plan",
            "most_disks",
            "--offer=4T=90 --data=8T --most-disks={}",
            NO_NUMBER,
            USAGE,
        ),
        wrong(
            "plan",
            "most_ms",
            "--offer=4T=90 --data=8T --load=nas --most-ms={}",
            &["", "x", "-1", "nan"],
            USAGE,
        ),
        wrong("create", "devices", "md9 /dev/sdv {}", &["", "sdz"], USAGE),
        wrong(
            "plan",
            "disks",
            "--disks={}",
            &[
                "",
                "8",
                "x8",
                "0x4T",
                "-1x4T",
                "8x",
                "8x4Q",
                "8x0",
                "99999999999x4T",
            ],
            USAGE,
        ),
        wrong("plan", "gears", "--disks=5x4T --gears={}", NO_GEARS, USAGE),
        wrong(
            "plan",
            "data",
            "--disks=5x4T --data={}",
            &["", "x", "-8T", "8Q", "0"],
            USAGE,
        ),
        wrong(
            "plan",
            "most_watts",
            "--disks=5x4T --data=8T --most-watts={}",
            NO_WATTS,
            USAGE,
        ),
        wrong("plan", "level", "--disks=5x4T --level={}", NO_LEVEL, USAGE),
        wrong("plan", "chunk", "--disks=5x4T --chunk={}", NO_CHUNK, USAGE),
        wrong(
            "plan",
            "log_size",
            "--disks=5x4T --log-size={}",
            NO_LOG,
            USAGE,
        ),
        wrong(
            "plan",
            "image_share",
            "--disks=5x4T --image-share={}",
            NO_SHARE,
            USAGE,
        ),
        wrong(
            "plan",
            "load",
            "--disks=5x4T --load={}",
            &["", "none-such"],
            USAGE,
        ),
        wrong(
            "plan",
            "days",
            "--disks=5x4T --load=nas --days={}",
            &["", "0", "29", "x"],
            USAGE,
        ),
        wrong(
            "plan",
            "trace",
            "--disks=5x4T --trace={}",
            &["/none/such", "/etc"],
            exit::UNREADABLE,
        ),
        wrong(
            "policy set",
            "settings",
            "{}",
            &[
                "",
                "hold",
                "=5",
                "nothing=5",
                "hold=",
                "hold=x",
                "hold=-1",
                "hold=99999999999",
                "policy=perhaps",
                "gear=3",
            ],
            USAGE,
        ),
        wrong(
            "policy set",
            "settings",
            "{}",
            &["down_threshold=70", "speed_min=4000000"],
            REFUSED,
        ),
        wrong(
            "policy preset",
            "preset",
            "{}",
            &["", "loud", "QUIET"],
            USAGE,
        ),
        wrong(
            "scrub start",
            "until",
            "--when-awake --until={}",
            NO_TIME,
            USAGE,
        ),
        wrong(
            "scrub limit",
            "limit",
            "{}",
            &["", "0", "x", "-5", "20Q", "99999999999999999999"],
            USAGE,
        ),
        wrong(
            "shift",
            "gear",
            "{}",
            &["", "x", "4", "0", "99999999999", "UP"],
            USAGE,
        ),
        wrong("shift", "timeout", "3 --timeout={}", NO_NUMBER, USAGE),
        wrong(
            "status",
            "interval",
            "--watch --interval={}",
            NO_NUMBER,
            USAGE,
        ),
        wrong(
            "status",
            "interval",
            "--watch --interval={}",
            &["0", "3601"],
            USAGE,
        ),
        wrong("who", "days", "--days={}", NO_NUMBER, USAGE),
        wrong("who", "days", "--days={}", &["0", "36"], USAGE),
        wrong("who", "length", "--live --for={}", NO_LENGTH, USAGE),
        wrong("manual", "dir", "{}", &[""], USAGE),
    ];
    for watts in ["active", "idle", "standby", "start", "ssd"] {
        let argument: &'static str = format!("{watts}_watts").leak();
        let rest = format!("--disks=5x4T --{watts}-watts={{}}");
        table.push(wrong("plan", argument, &rest, NO_WATTS, USAGE));
    }
    for price in ["kwh", "disk"] {
        let argument: &'static str = format!("{price}_price").leak();
        let rest = format!("--disks=5x4T --{price}-price={{}}");
        table.push(wrong("plan", argument, &rest, NO_WATTS, USAGE));
    }
    for (command, rest) in [
        ("doctor", "{}"),
        ("events", "{}"),
        ("explain", "{}"),
        ("pin set", "5 {}"),
        ("pin show", "{}"),
        ("pin end", "{}"),
        ("policy show", "{}"),
        ("policy set", "hold=70 --array={}"),
        ("policy preset", "quiet {}"),
        ("schedule show", "{}"),
        ("schedule apply", "{}"),
        ("schedule off", "{}"),
        ("scrub show", "{}"),
        ("scrub start", "{}"),
        ("scrub limit", "20M {}"),
        ("scrub pause", "{}"),
        ("shift", "3 {}"),
        ("status", "{}"),
        ("who", "{}"),
    ] {
        table.push(wrong(command, "array", rest, NO_ARRAY, NOT_FOUND));
    }
    table
}

/// The commands that do something, by their words.
fn leaves(command: &Command, name: &str) -> Vec<(String, Command)> {
    let mut found = Vec::new();
    for sub in command.get_subcommands() {
        if sub.get_name() == "help" {
            continue;
        }
        let name = format!("{name} {}", sub.get_name()).trim().to_owned();
        if sub.has_subcommands() {
            found.extend(leaves(sub, &name));
        } else {
            found.push((name, sub.clone()));
        }
    }
    found
}

fn commands() -> Vec<(String, Command)> {
    let mut cli = Cli::command();
    cli.build();
    leaves(&cli, "")
}

fn is_flag(arg: &Arg) -> bool {
    matches!(
        arg.get_action(),
        ArgAction::SetTrue | ArgAction::Help | ArgAction::Version
    )
}

/// Options that all commands have, which are tested once.
fn is_global(arg: &Arg) -> bool {
    ["json", "color", "root", "help", "version"].contains(&arg.get_id().as_str())
}

struct Ended {
    code: u8,
    out: String,
    err: String,
}

fn run(line: &str, value: Option<&str>) -> (Ended, SimSystem) {
    let sim = create::system(&[], &[]);
    let words = line.split_ascii_whitespace();
    let words: Vec<_> = words
        .map(|word| word.replace("{}", value.unwrap_or_default()))
        .collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = cli::run(words, &sim, &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let ended = Ended {
        code,
        out: text(out),
        err: text(err),
    };
    (ended, sim)
}

fn is_a_line(err: &str) -> bool {
    err.starts_with("paradm: ") && err.ends_with('\n') && err.lines().count() == 1
}

/// What is wrong with how it was refused, if anything.
fn complaint(line: &str, value: &str, code: u8) -> Option<String> {
    let (ended, sim) = run(line, Some(value));
    let told = is_a_line(&ended.err);
    let world = sim.world();
    let changed = !world.written.is_empty()
        || world
            .ran
            .iter()
            .any(|program| program.shown().contains("/dev/md9"));
    let well = ended.code == code && ended.out.is_empty() && told && !changed;
    (!well).then(|| {
        format!(
            "{line} {value:?}: exit {}, wanted {code}: {}{}",
            ended.code, ended.out, ended.err
        )
    })
}

#[test]
fn every_value_is_looked_at() {
    let complaints: Vec<_> = table()
        .iter()
        .flat_map(|wrong| wrong.values.iter().map(move |value| (wrong, value)))
        .filter_map(|(wrong, value)| complaint(&wrong.line, value, wrong.code))
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn the_table_has_every_argument_of_every_command() {
    let known: BTreeSet<_> = table()
        .iter()
        .map(|wrong| format!("{} {}", wrong.command, wrong.argument))
        .collect();
    for (name, command) in commands() {
        for arg in command
            .get_arguments()
            .filter(|arg| !is_flag(arg) && !is_global(arg))
        {
            let argument = format!("{name} {}", arg.get_id());
            assert!(
                known.contains(&argument),
                "no bad value of {argument} is tested"
            );
        }
    }
}

/// That they are no options, or take no value, or need one, clap sees: whatever else is given.
#[test]
fn every_option_is_used_as_it_is_meant() {
    let mut complaints = Vec::new();
    for (name, command) in commands() {
        let mut lines = vec![format!("{name} --none-such")];
        for arg in command.get_arguments() {
            let Some(long) = arg.get_long() else { continue };
            if is_flag(arg) {
                lines.push(format!("{name} --{long}=perhaps"));
            } else {
                lines.push(format!("{name} --{long}"));
            }
        }
        lines.push(format!("{name} --color=perhaps"));
        for line in lines {
            let (ended, _) = run(&line, None);
            let option = line.rsplit(' ').next().unwrap_or_default();
            let option = option.split('=').next().unwrap_or_default();
            if ended.code != exit::USAGE || !is_a_line(&ended.err) || !ended.err.contains(option) {
                complaints.push(format!(
                    "{line}: exit {}: {}{}",
                    ended.code, ended.out, ended.err
                ));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Options that exclude each other, or need each other.
#[test]
fn options_that_do_not_go_together() {
    let lines = [
        "create md9 /dev/sdv --dry-run --yes",
        "events md0 md1",
        "pin set 5 --for 1h --until 12:00",
        "pin end md0 --expired",
        "pin end --forget",
        "plan",
        "plan /dev/sdv --disks 5x4T",
        "plan --disks 5x4T --data 8T --gears 3,5",
        "plan --disks 5x4T --most-watts 5",
        "plan --disks 5x4T --days 2",
        "plan --disks 5x4T --image-share 100,25",
        "plan --disks 5x4T --load nas --trace x",
        "policy",
        "pin",
        "schedule",
        "scrub",
        "scrub start --wake --no-wake",
        "scrub start --wake --when-awake",
        "scrub start --until 12:00",
        "shift 3 --no-wait --timeout 5",
        "shift 3 md0 md1",
        "status --watch --json",
        "status --interval 5",
        "who --live --days 2",
        "who --for 1h",
        "",
    ];
    let complaints: Vec<_> = lines
        .iter()
        .map(|line| (line, run(line, None).0))
        .filter(|(_, ended)| {
            ended.code != exit::USAGE || !ended.out.is_empty() || !is_a_line(&ended.err)
        })
        .map(|(line, ended)| format!("{line}: exit {}: {}{}", ended.code, ended.out, ended.err))
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// What is wrong, and what is right: the grammar's errors are no other than paradm's own.
#[test]
fn what_the_grammar_excludes_is_told_in_a_line() {
    let lines = [
        "",
        "stat",
        "none-such",
        "policy",
        "pin sho",
        "status md0 md1",
        "status --wach",
        "status --color perhaps",
        "status --color",
        "status --interval 5",
        "status --watch --json",
        "status --watch --interval 0",
        "status --watch --interval x",
        "status --watch --interval 99999999999999999999",
        "status --json=yes",
        "status --json --json",
        "shift",
        "shift 3 --no-wait --timeout 5",
        "create md9 --gears 5",
        "create md9 /dev/sdv /dev/sdw --spares 101",
        "shift 3 --timeout 0",
        "plan",
        "pin set 5 --for 1h --until 12:00",
    ];
    let sim = create::system(&[], &[]);
    golden(&expect_file!["../golden/wrong.txt"], &session(&sim, &lines));
}

/// Tips of the grammar that lead nowhere, and words that take more than a screen.
#[test]
fn what_is_said_is_of_use() {
    let sim = create::system(&[], &[]);
    let said = |line: &str| {
        let left = paradm(&sim, line);
        assert!(left.out.is_empty() && is_a_line(&left.err), "{line}");
        left.err
    };
    for line in ["shift -1", "create md9 --spares -1", "who --days -.5"] {
        let said = said(line);
        assert!(
            said.contains(" is not expected: no number is negative; usage: "),
            "{said}"
        );
    }
    let unread = said("daemon --check --config /x --root /copy");
    assert!(unread.starts_with("paradm: cannot read /x: "), "{unread}");
    assert!(
        unread.ends_with("; with --root, files are those below /copy\n"),
        "{unread}"
    );
    for line in ["status", "shift", "create", "plan --disks"] {
        let said = said(&format!("{line} {}", "x".repeat(100_000)));
        assert!(said.chars().count() < 1500);
    }
}

/// What was typed is quoted, and works no terminal and begins no line.
#[test]
fn what_is_quoted_is_printable() {
    for line in [
        "metrics --textfile 'a\u{1b}[31m\nb'",
        "'a\u{1b}[31m\n\nb'",
        "status '--a\u{9b}31m\n\nb'",
        "status --color '\u{1b}\r\n'",
        "status md0 'md\n1'",
        "status 'md\n\u{1b}1'",
    ] {
        let left = paradm(&create::system(&[], &[]), line);
        assert!(is_a_line(&left.err), "{line:?}: {:?}", left.err);
        let text = left.err.trim_end_matches('\n');
        assert!(!text.contains(char::is_control), "{line:?}: {:?}", left.err);
    }
}
