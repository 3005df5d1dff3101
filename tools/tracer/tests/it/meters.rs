// SPDX-License-Identifier: GPL-2.0
//! meter, with fakes of instruments and plugs on the loopback. tests/machine/cases/tracer-meter.sh has simulated disks.

use crate::harness::{World, end, interrupt, says, start};
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A plug that is pulled out after so many answers: 10 W until then.
pub fn pulled_plug(answers: usize) -> String {
    plug(move |path, before| match path {
        "/shelly" => Some(r#"{"type":"SHPLG-S"}"#.to_owned()),
        _ if before < answers => Some(r#"{"meters":[{"power":10,"is_valid":true}]}"#.to_owned()),
        _ => None,
    })
}

/// A plug: `answer` gets what is asked for, and how many times it was asked for it before. It dies without an answer.
fn plug(answer: impl Fn(&str, usize) -> Option<String> + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let count = AtomicUsize::new(0);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let first = lines.next().unwrap().unwrap();
            let path = first.split(' ').nth(1).unwrap().to_owned();
            while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
            let about = path == "/shelly";
            let before = count.fetch_add(usize::from(!about), Ordering::Relaxed);
            let Some(body) = answer(&path, before) else {
                continue;
            };
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            let _ = stream.write_all((head + &body).as_bytes());
        }
    });
    address
}

/// Of the second generation: 10, 20, 30 W and so on.
pub fn shelly() -> String {
    plug(|path, before| {
        Some(match path {
            "/shelly" => r#"{"gen":2}"#.to_owned(),
            _ => format!(
                r#"{{"switch:0":{{"apower":{},"voltage":230.5,"current":0.1}}}}"#,
                10 * (before + 1)
            ),
        })
    })
}

/// An instrument; `answer` as of a plug.
fn instrument(answer: impl Fn(&str, usize) -> String + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let answer = Arc::new(answer);
    let count = Arc::new(AtomicUsize::new(0));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (answer, count) = (Arc::clone(&answer), Arc::clone(&count));
            thread::spawn(move || serve(stream.unwrap(), &*answer, &count));
        }
    });
    address
}

fn serve(mut stream: TcpStream, answer: &dyn Fn(&str, usize) -> String, count: &AtomicUsize) {
    let lines = BufReader::new(stream.try_clone().unwrap()).lines();
    for line in lines.map_while(Result::ok) {
        let said = answer(&line, count.fetch_add(1, Ordering::Relaxed));
        if stream.write_all(format!("{said}\n").as_bytes()).is_err() {
            return;
        }
    }
}

/// The words of the line of a table that begins so: channel, samples, seconds, J, W, least, most, V, A.
fn row(out: &str, name: &str) -> Vec<String> {
    let line = out.lines().find(|line| line.starts_with(name));
    let line = line.unwrap_or_else(|| panic!("no {name}: {out}"));
    line.split_ascii_whitespace().map(str::to_owned).collect()
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

/// Here and below: an answer that takes longer than the period is a fault, and the machine may be slow.
const FOR_SECONDS: [&str; 7] = [
    "meter",
    "--seconds",
    "3",
    "--period",
    "0.5",
    "--rows",
    "rows",
];

#[test]
fn plugs_and_instruments_are_measured_side_by_side() {
    let world = World::new();
    let tasmota = plug(|_, _| {
        Some(
            r#"{"StatusSNS":{"ENERGY":{"Power":[5,7],"Voltage":229,"Current":[0.02,0.03]}}}"#
                .to_owned(),
        )
    });
    let scpi = instrument(|query, _| match query {
        "MEAS:VOLT? CH1" => "12.0".to_owned(),
        "MEAS:CURR? CH1" => "+5.0E-1".to_owned(),
        "MEAS:VOLT? CH2" => "5.0V".to_owned(),
        "MEAS:CURR? CH2" => "2".to_owned(),
        other => panic!("{other}"),
    });
    let query = "volts=MEAS:VOLT?_CH%c&amperes=MEAS:CURR?_CH%c&channels=1,2";
    let sources = [
        format!("shelly:{}", shelly()),
        format!("tasmota:{tasmota}"),
        format!("scpi:{scpi}?{}", query.replace('_', " ")),
    ];
    let mut args = FOR_SECONDS.to_vec();
    args.extend(sources.iter().map(String::as_str));
    let left = world.run_args(&args);
    assert_eq!((left.code, left.err.as_str()), (0, ""), "{}", left.out);
    let plug = row(&left.out, "shelly:");
    // It rises evenly, and so do the watts' means.
    let (samples, least, most) = (number(&plug[1]), number(&plug[5]), number(&plug[6]));
    assert!(samples >= 3.0 && least == 10.0, "{}", left.out);
    assert_eq!(
        (most, plug[7].as_str(), plug[8].as_str()),
        (10.0 * samples, "230.500", "0.100")
    );
    assert_eq!(row(&left.out, &format!("tasmota:{tasmota}/1"))[4], "7.000");
    let spec = &sources[2];
    for (channel, watts) in [("1", "6.000"), ("2", "10.000")] {
        let line = left
            .out
            .lines()
            .find(|line| line.starts_with(&format!("{spec}/{channel}")));
        let line = line.unwrap();
        assert!(line.contains(&format!(" {watts} ")), "{line}");
    }
    assert!(left.out.lines().any(|line| line.starts_with("all ")));
    let rows = world.read("rows");
    assert_eq!(
        rows.lines().next(),
        Some("seconds,channel,volts,amperes,watts,joules")
    );
    let of_plug: Vec<_> = rows
        .lines()
        .filter(|row| row.contains(",shelly:"))
        .collect();
    assert_eq!(of_plug.len().to_string(), plug[1]);
    let last: Vec<_> = of_plug.last().unwrap().split(',').collect();
    assert!((number(last[5]) - number(&plug[3])).abs() < 0.001);
}

/// NaN, negative watts, no answer for a while, an answer that comes late: said, and the rest is kept.
#[test]
fn what_a_meter_gets_wrong_is_said() {
    let world = World::new();
    let scpi = instrument(|_, before| match before {
        1 => "nan".to_owned(),
        2 => "9.91E+37".to_owned(),
        3 => "-4".to_owned(),
        4 => "ERROR".to_owned(),
        6 => {
            thread::sleep(Duration::from_millis(300));
            "10".to_owned()
        }
        _ => "10".to_owned(),
    });
    let left = world.run(&format!(
        "meter scpi:{scpi} --seconds 2 --period 0.1 --rows rows"
    ));
    assert_eq!(left.code, 1, "{}", left.err);
    says(&left.err, "NaN W is no measurement");
    says(&left.err, "W is no measurement");
    says(&left.err, "-4 W is negative");
    says(&left.err, "it answers MEAS:POW? with \"ERROR\"");
    says(&left.err, "it answers again");
    says(&left.err, "s to answer");
    says(&left.err, "5 readings failed, make no sense, or came late");
    let words = row(&left.out, "scpi:");
    assert_eq!(
        (words[4].as_str(), words[5].as_str(), words[6].as_str()),
        ("10.000", "10.000", "10.000")
    );
    assert!(number(&words[3]) > 5.0, "{}", left.out);
    assert_eq!(
        world.read("rows").lines().count(),
        1 + words[1].parse::<usize>().unwrap()
    );
}

#[test]
fn a_plug_that_stops_keeps_what_was_measured() {
    let world = World::new();
    let address = pulled_plug(5);
    let left = world.run(&format!("meter shelly:{address} --seconds 4 --period 0.5"));
    assert_eq!(left.code, 1);
    says(&left.err, "it does not answer");
    // Once, and the number of times.
    assert_eq!(left.err.lines().count(), 2, "{}", left.err);
    let words = row(&left.out, "shelly:");
    assert_eq!((words[1].as_str(), words[4].as_str()), ("5", "10.000"));
}

#[test]
fn ctrl_c_ends_it() {
    let world = World::new();
    for (seconds, code) in [("", 0), (" --seconds 1000", 7)] {
        let child = start(
            &world,
            &format!(
                "meter shelly:{} --period 0.5 --rows rows{seconds}",
                shelly()
            ),
        );
        while !world.path("rows").exists() || world.read("rows").lines().count() < 4 {
            thread::sleep(Duration::from_millis(5));
        }
        interrupt(&child);
        let left = end(child);
        assert_eq!(left.code, code, "{}", left.err);
        assert!(number(&row(&left.out, "shelly:")[3]) > 0.0);
        fs::remove_file(world.path("rows")).unwrap();
    }
}

#[test]
fn a_killed_meter_leaves_whole_rows() {
    let world = World::new();
    let source = format!("meter shelly:{} --period 0.02 --rows rows", shelly());
    let mut child = start(&world, &source);
    while !world.path("rows").exists() || world.read("rows").lines().count() < 5 {
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let rows = world.read("rows");
    assert!(rows.ends_with('\n') && rows.lines().count() >= 5);
    assert!(
        rows.lines().all(|row| row.split(',').count() == 6),
        "{rows}"
    );
}

#[test]
fn counters_of_the_kernel() {
    let world = World::new();
    let zone = world.path("cap/intel-rapl:0");
    fs::create_dir_all(&zone).unwrap();
    let set = |value: u64| {
        fs::write(zone.join("new"), format!("{value}\n")).unwrap();
        fs::rename(zone.join("new"), zone.join("energy_uj")).unwrap();
    };
    fs::write(zone.join("max_energy_range_uj"), "10000000\n").unwrap();
    set(9_000_000);
    let child = start(
        &world,
        "meter powercap:cap --seconds 3 --period 0.5 --rows rows",
    );
    while !world.path("rows").exists() || world.read("rows").lines().count() < 3 {
        thread::sleep(Duration::from_millis(5));
    }
    set(2_000_000);
    let left = end(child);
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    assert_eq!(row(&left.out, "powercap:cap/intel-rapl:0")[3], "3.000");
}

/// A log that another program writes: rows of before are no part of it, a row that is half written waits, wrong ones are
/// named.
#[test]
fn the_log_of_any_meter() {
    let world = World::new();
    let now = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs_f64()
    };
    world.write(
        "log",
        "\"When\";Who;\"Power, W\"\n1.5;a;99\n2026-01-01T00:00:00Z;a;99\n",
    );
    let mut args = FOR_SECONDS.to_vec();
    args.push("csv:log?time=When&channel=Who&watts=Power, W");
    let child = world.start_args(&args);
    thread::sleep(Duration::from_millis(300));
    let mut log = OpenOptions::new()
        .append(true)
        .open(world.path("log"))
        .unwrap();
    let mut add = |text: &str| log.write_all(text.as_bytes()).unwrap();
    let first = now();
    add(&format!("{first};a;10,0\n{first};b;1\n{};a;", first + 0.25));
    thread::sleep(Duration::from_millis(300));
    add(&format!(
        "20\nx;a;10\n{};a;none\n{};b;3\n",
        first + 0.3,
        first + 0.5
    ));
    let left = end(child);
    assert_eq!(left.code, 1, "{}", left.err);
    says(&left.err, "a row has \"x\" for a time");
    says(&left.err, "a row has \"none\" for a number");
    let of = |name: &str| {
        let line = left
            .out
            .lines()
            .find(|line| line.contains(&format!("/{name} ")))
            .unwrap();
        let (_, rest) = line.split_once(&format!("/{name} ")).unwrap();
        rest.split_ascii_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(of("a")[..4], ["2", "0.250", "3.750", "15.000"]);
    assert_eq!(of("b")[..4], ["2", "0.500", "1.000", "2.000"]);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let world = World::new();
    fs::create_dir(world.path("dir")).unwrap();
    world.write("empty", "");
    world.write("log", "a,b\n");
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let text = plug(|_, _| Some("hello".to_owned()));
    let none = plug(|_, _| Some(r#"{"gen":3}"#.to_owned()));
    let cases = [
        ("meter", 2, "SOURCE"),
        (
            "meter plug:1.2.3.4",
            2,
            "\"plug\" is none of spindle, powercap",
        ),
        ("meter shelly", 2, "it needs HOST"),
        ("meter hwmon?a=b", 2, "hwmon has no option a"),
        (
            "meter scpi:x?volts=V?",
            2,
            "it needs watts, or both volts and amperes",
        ),
        ("meter scpi:x?channels=1,2", 2, "each query needs %c"),
        ("meter hwmon:dir --period 0", 2, "it is from 0.01 to 3600"),
        ("meter hwmon:dir --seconds 0", 2, "it is from 1 to"),
        ("meter hwmon:dir hwmon:dir", 2, "is named twice"),
        ("meter hwmon:dir --rows dir", 6, "is there, and is no file"),
        (
            "meter hwmon:dir --rows missing/rows",
            9,
            "cannot write missing/rows",
        ),
        (
            "meter hwmon:dir --rows rows",
            5,
            "meter hwmon:dir: there is no meter in dir",
        ),
        ("meter powercap:missing", 5, "missing: No such file"),
        ("meter states:missing", 2, "missing: No such file"),
        ("meter csv:empty", 5, "it has no first line yet"),
        ("meter csv:log", 5, "its first line names no column time"),
        (&format!("meter scpi:{closed}"), 5, "it does not answer"),
        (&format!("meter shelly:{closed}"), 5, "it does not answer"),
        (&format!("meter shelly:{text}"), 5, "its answer is no JSON"),
        (&format!("meter shelly:{none}"), 5, "it says no watts"),
        (&format!("meter tasmota:{none}"), 5, "it says no watts"),
    ];
    world.refuses(&cases);
}

/// What answers without end, or with an error, is no plug.
#[test]
fn answers_that_are_no_plugs() {
    let world = World::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let flood = [b'1'; 65_536];
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1024]);
            if number == 0 {
                let _ = stream.write_all(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
                continue;
            }
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            while stream.write_all(&flood).is_ok() {}
        }
    });
    let source = format!("meter tasmota:{address}");
    world.refuses(&[
        (&source, 5, "it answers 401"),
        (&source, 5, "its answer is no JSON"),
    ]);
}
