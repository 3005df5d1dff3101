// SPDX-License-Identifier: GPL-2.0
//! `paradm daemon`, in simulated time.

use crate::harness::{Left, paradm};
use crate::schedule::{automatic, limits, pair};
use paradm::history::{ArrayKey, History, Of};
use paradm::sim::{SimArray, SimLog, SimSlots, SimSystem, World};
use paradm::system::{Ran, System};
use std::path::Path;
use std::time::Duration;

const CONFIG: &str = "/etc/paradm/daemon.toml";
const METRICS: &str = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

fn minutes(number: u64) -> Duration {
    Duration::from_secs(number * 60)
}

/// It runs for so long, and is told to end.
fn run(sim: &SimSystem, time: Duration) -> Left {
    sim.after(time, |world| world.daemon.stop());
    paradm(sim, "daemon")
}

fn one() -> SimSystem {
    SimSystem::with([SimArray::new("md0", &[3, 5])])
}

fn configured(sim: &SimSystem, text: &str) {
    sim.world().tree.file(CONFIG, text);
}

fn works(sim: &SimSystem, program: &str) {
    sim.program(program, |_, _| Ran::default());
}

fn ran(sim: &SimSystem) -> Vec<String> {
    sim.world()
        .ran
        .iter()
        .map(|program| program.shown())
        .collect()
}

fn shift(world: &mut World, gear: &str) {
    world
        .write(Path::new("/sys/block/md0/md/par/gear"), gear)
        .unwrap();
}

/// A uevent of the module's.
fn tell(world: &mut World, values: &[(&str, &str)]) {
    let values: Vec<_> = values
        .iter()
        .map(|(key, value)| (*key, (*value).to_owned()))
        .collect();
    world.array("md0").tell(&values);
}

#[test]
fn without_a_configuration_it_only_watches_and_ends_when_told_to() {
    let sim = one();
    let left = run(&sim, minutes(600));
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    let world = sim.world();
    assert!(world.written.is_empty() && world.ran.is_empty());
    assert_eq!(world.daemon.port, None);
    let said: Vec<_> = world
        .daemon
        .notified
        .iter()
        .map(|state| state.split('\n').next().unwrap())
        .collect();
    assert_eq!(said, ["READY=1", "STOPPING=1"]);
}

#[test]
fn metrics_are_served_and_what_else_is_asked_for_is_not() {
    let sim = one();
    sim.world().array("md0").slots = Some(SimSlots::tenth());
    configured(&sim, "listen = \"127.0.0.1:9110\"");
    sim.after(minutes(1), |world| world.daemon.call(METRICS));
    sim.after(minutes(2), |world| {
        world.daemon.call("GET / HTTP/1.1\r\n\r\n")
    });
    sim.after(minutes(3), |world| world.daemon.call(""));
    let printed = paradm(&sim, "metrics").out;
    assert_eq!(run(&sim, minutes(5)).code, 0);
    let answered = sim.world().daemon.answered.clone();
    let [metrics, other, nothing] = answered.as_slice() else {
        panic!("{answered:?}");
    };
    assert!(metrics.starts_with("HTTP/1.1 200 OK\r\n"));
    let names = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with("# TYPE"))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(names(metrics), names(&printed));
    assert!(metrics.contains("\nraidpar_array_slots_free{array=\"md0\"} 21674\n"));
    assert!(other.starts_with("HTTP/1.1 404 "));
    assert!(nothing.starts_with("HTTP/1.1 400 "));
}

/// However often they are asked for: a minute old at most, and not older than the last event.
#[test]
fn metrics_are_read_once_a_minute_and_after_an_event() {
    let sim = one();
    configured(&sim, "listen = \"127.0.0.1:9110\"");
    for call in 0..12 {
        sim.after(Duration::from_secs(5 + 15 * call), |world| {
            world.daemon.call(METRICS);
        });
    }
    sim.after(Duration::from_secs(66), |world| shift(world, "3"));
    // Nothing tells of this; the call at 80 s gets what was read at 65 s.
    sim.after(Duration::from_secs(76), |world| {
        world.array("md0").members[0].busy_percent = 50.0;
    });
    assert_eq!(run(&sim, minutes(4)).code, 0);
    let answered = sim.world().daemon.answered.clone();
    let gears: Vec<_> = answered
        .iter()
        .map(|answer| answer.contains("raidpar_array_gear{array=\"md0\"} 3"))
        .collect();
    // The shift takes 20 s: the call at 95 s is the first to see it.
    assert_eq!(gears.iter().position(|is| *is), Some(6), "{gears:?}");
    assert!(gears[6..].iter().all(|is| *is), "{gears:?}");
    let busy = |answer: &String| answer.contains("member=\"0\"} 0.5");
    assert_eq!(answered.iter().position(busy), Some(6));
    // At 5 s, 65 s, 95 s after the shift, and 155 s.
    let file = Path::new("/sys/block/md0/md/par/member0/busy_percent");
    assert_eq!(sim.world().read[file], 4);
}

#[test]
fn a_textfile_is_written_each_minute() {
    let sim = one();
    let file = "/var/lib/node_exporter/raidpar.prom";
    configured(&sim, &format!("textfile = \"{file}\""));
    sim.after(minutes(10), move |world| {
        assert!(
            world
                .tree
                .read(Path::new(file))
                .unwrap()
                .contains("raidpar_array_gear{array=\"md0\"} 5")
        );
        world.array("md0").gear = 3;
    });
    assert_eq!(run(&sim, minutes(12)).code, 0);
    let text = sim.world().tree.read(Path::new(file)).unwrap();
    assert!(text.contains("raidpar_array_gear{array=\"md0\"} 3"));
}

#[test]
fn a_pin_ends_when_its_time_is_over() {
    let sim = one();
    assert_eq!(paradm(&sim, "policy set policy=auto").code, 0);
    assert_eq!(paradm(&sim, "pin set 5 --for 30min").code, 0);
    assert_eq!(limits(&sim), pair(5, 5));
    let left = run(&sim, minutes(29));
    assert_eq!((left.code, limits(&sim)), (0, pair(5, 5)));
    let left = run(&sim, minutes(5));
    assert!(left.err.contains("md0: the pin has ended"), "{left}");
    assert_eq!(limits(&sim), pair(3, 5));
}

/// One that follows its schedule, and is in its lowest gear.
fn following() -> SimSystem {
    let sim = automatic();
    assert_eq!(paradm(&sim, "schedule apply").code, 0);
    sim.world().array("md0").gear = 3;
    sim
}

/// It is Tuesday, 8:00. The limits at such moments of the day.
fn at(sim: &SimSystem, seconds: u64, wanted: (u32, u32)) {
    sim.after(Duration::from_secs(seconds), move |world| {
        let limit = |file: &str| world.limit("md0", file);
        assert_eq!(
            (limit("min_gear"), limit("max_gear")),
            wanted,
            "after {seconds} s"
        );
    });
}

#[test]
fn an_array_follows_its_schedule_and_has_its_own_limits_when_the_daemon_ends() {
    let sim = following();
    let noon = 4 * 3600;
    at(&sim, noon - 62, (3, 8));
    // The lead is a minute, and an interval of the policy.
    at(&sim, noon - 60, (8, 8));
    at(&sim, noon + 1800, (8, 8));
    // There is no load, whatever was foretold.
    at(&sim, noon + 3700, (3, 8));
    let left = run(&sim, Duration::from_secs(noon + 1800 + 1));
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    assert_eq!(limits(&sim), pair(3, 8));
    assert_eq!(sim.world().written.len(), 2, "{:?}", sim.world().written);
    // It goes on when the daemon does.
    at(&sim, 60, (8, 8));
    run(&sim, minutes(31));
    assert_eq!(paradm(&sim, "schedule off").code, 0);
    assert_eq!(limits(&sim), pair(3, 8));
}

#[test]
fn load_that_comes_near_is_shifted_up_for_where_it_is_foretold() {
    let sim = following();
    // Wednesday, 7:10: three members are busy for two thirds of the time.
    let seven = 23 * 3600;
    for ten in 0..30u64 {
        sim.after(Duration::from_secs(seven + 600 + ten * 10), move |world| {
            for disk in 'a'..='c' {
                let text = format!("1 0 8 5 1 0 8 5 0 {} 10 0 0 0 0\n", ten * 6700);
                world
                    .tree
                    .file(format!("/sys/class/block/sd{disk}/stat"), &text);
            }
        });
    }
    at(&sim, seven + 590, (3, 8));
    at(&sim, seven + 700, (5, 8));
    run(&sim, Duration::from_secs(seven + 720));
}

/// Nobody counts it: that none is seen does not say that there is none.
#[test]
fn load_that_nobody_counts_is_not_taken_for_none() {
    let sim = following();
    sim.world().array("md0").gear = 8;
    let iostats = "/sys/devices/pci0000:00/block/sdb/queue/iostats";
    sim.world().tree.file(iostats, "0\n");
    at(&sim, 150, (3, 8));
    sim.after(Duration::from_secs(160), move |world| {
        world.tree.file(iostats, "1\n");
    });
    at(&sim, 300, (3, 5));
    run(&sim, minutes(6));
}

#[test]
fn load_that_is_over_is_shifted_down_from_at_once() {
    let sim = following();
    sim.world().array("md0").gear = 8;
    // It is the morning's: gear 5 bears it.
    at(&sim, 60, (3, 5));
    sim.after(Duration::from_secs(70), |world| world.array("md0").gear = 5);
    at(&sim, 90, (3, 8));
    run(&sim, minutes(2));
}

#[test]
fn a_pinned_array_does_not_follow_until_the_pin_ends() {
    let sim = automatic();
    assert_eq!(paradm(&sim, "schedule apply").code, 0);
    assert_eq!(paradm(&sim, "pin set 3-5 --for 5h").code, 0);
    let noon = 4 * 3600;
    at(&sim, noon + 600, (3, 5));
    run(&sim, Duration::from_secs(noon + 700));
    assert_eq!(limits(&sim), pair(3, 5));
}

/// The daemon looks at the load every 10 s, and at the arrays each minute: in between it takes the limits of a new pin
/// for no others than the pin's.
#[test]
fn a_pin_amid_a_busy_hour_leaves_the_users_own_limits_as_they_were() {
    let sim = following();
    let (start, noon) = (sim.now().as_second(), 4 * 3600);
    at(&sim, noon + 604, (8, 8));
    sim.after(Duration::from_secs(noon + 605), move |world| {
        let until = start + i64::try_from(noon).unwrap() + 1200;
        let pin = format!(
            "{{\"pins\":[{{\"array\":\"md0\",\"uuid\":\"1-2-3-4\",\"gear_min\":3,\"gear_max\":5,\
             \"until\":{until},\"before\":{{\"min_gear\":8,\"max_gear\":8}}}}]}}\n"
        );
        world.tree.file("/var/lib/paradm/pins.json", &pin);
        for (file, gear) in [("min_gear", "3"), ("max_gear", "5")] {
            let path = Path::new("/sys/block/md0/md/par").join(file);
            world.write(&path, gear).unwrap();
        }
    });
    at(&sim, noon + 1100, (3, 5));
    at(&sim, noon + 1300, (8, 8));
    let left = run(&sim, Duration::from_secs(noon + 1400));
    assert_eq!(left.code, 0, "{left}");
    assert_eq!(limits(&sim), pair(3, 8));
}

#[test]
fn an_array_that_is_shifted_by_hand_meanwhile_has_its_own_limits_when_the_daemon_ends() {
    let sim = following();
    let noon = 4 * 3600;
    at(&sim, noon + 599, (8, 8));
    sim.after(Duration::from_secs(noon + 600), |world| {
        let file = Path::new("/sys/block/md0/md/par/policy");
        world.write(file, "manual").unwrap();
    });
    assert_eq!(run(&sim, Duration::from_secs(noon + 700)).code, 0);
    assert_eq!(limits(&sim), pair(3, 8));
}

/// Nobody follows the schedule when the pin ends.
#[test]
fn a_pin_that_outlives_the_daemon_gives_the_users_own_limits_back() {
    let sim = following();
    let noon = 4 * 3600;
    // As a daemon leaves them that is killed in a busy hour.
    let kept = "/var/lib/paradm/schedules.json";
    sim.after(Duration::from_secs(noon + 600), |world| {
        assert_eq!(world.limit("md0", "min_gear"), 8);
        let text = world.tree.read(Path::new(kept)).unwrap();
        world.tree.file("/killed", &text);
    });
    run(&sim, Duration::from_secs(noon + 700));
    let text = sim.read("/killed".as_ref()).unwrap();
    sim.world().tree.file(kept, &text);
    let file = Path::new("/sys/block/md0/md/par/min_gear");
    sim.world().write(file, "8").unwrap();
    for line in ["pin set 3-5", "pin set 5", "pin end"] {
        assert_eq!(paradm(&sim, line).code, 0, "{line}");
    }
    assert_eq!(limits(&sim), pair(3, 8));
    assert_eq!(paradm(&sim, "schedule off").code, 0);
    assert_eq!(limits(&sim), pair(3, 8));
}

#[test]
fn events_and_hours_are_kept() {
    let sim = automatic();
    sim.after(minutes(1), |world| shift(world, "3"));
    sim.after(minutes(3), |world| shift(world, "8"));
    assert_eq!(run(&sim, minutes(10)).code, 0);
    let history = History::open_existing(&sim).unwrap().unwrap();
    let events = history.events(0, &Of::All).unwrap();
    let count = |kind: &str| events.iter().filter(|event| event.kind == kind).count();
    assert_eq!(
        (count("shift"), count("sleep"), count("wake")),
        (2, 5, 5),
        "{events:?}"
    );
    let woken = events.iter().find(|event| event.kind == "wake").unwrap();
    assert_eq!(
        (woken.member, woken.device.as_deref()),
        (Some(3), Some("sdd"))
    );
    // The array has forgotten its hours: the history has not.
    sim.world().array("md0").load_history.clear();
    let left = paradm(&sim, "schedule show");
    assert!(left.out.contains("of 154 hours"), "{left}");
}

#[test]
fn a_hook_and_a_mail_tell_of_events() {
    let sim = one();
    configured(
        &sim,
        "hook = \"/usr/local/sbin/par-event\"\nhook_events = [\"shift\", \"wake\"]\nmail = \"root\"\nmail_events = [\"wake\"]\n",
    );
    works(&sim, "/usr/local/sbin/par-event");
    works(&sim, "sendmail");
    sim.world().tree.file("/proc/sys/kernel/hostname", "nas\n");
    sim.after(minutes(1), |world| shift(world, "3"));
    sim.after(minutes(2), |world| shift(world, "5"));
    let left = run(&sim, minutes(10));
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    let hook = "/usr/local/sbin/par-event";
    assert_eq!(
        ran(&sim),
        [
            &format!("{hook} shift md0"),
            &format!("{hook} shift md0"),
            &format!("{hook} wake md0"),
            &format!("{hook} wake md0"),
            "sendmail -t -oi",
        ]
    );
    let world = sim.world();
    let told: serde_json::Value =
        serde_json::from_str(world.ran[2].input.as_ref().unwrap()).unwrap();
    assert_eq!(
        (told["kind"].as_str(), told["member"].as_u64()),
        (Some("wake"), Some(3))
    );
    let mail = world.ran[4].input.as_ref().unwrap();
    assert!(
        mail.starts_with("To: root\nSubject: paradm on nas: member 3 of md0, sdd, was woken by "),
        "{mail}"
    );
    assert!(
        mail.contains("\n\nOn nas:\n\n2026-11-24 08:02:10  member 3 of md0")
            && mail.contains("\n2026-11-24 08:02:10  member 4 of md0"),
        "{mail}"
    );
}

/// Of each change, within a minute: with the defaults of the configuration by mail, too.
#[test]
fn a_failed_member_a_broken_array_lost_data_and_one_that_does_not_run_are_told() {
    let sim = one();
    configured(&sim, "hook = \"/tmp/hook\"\nmail = \"root\"\n");
    works(&sim, "/tmp/hook");
    works(&sim, "sendmail");
    sim.world().tree.file("/proc/sys/kernel/hostname", "nas\n");
    sim.world().array("md0").log = Some(SimLog::quarter());
    sim.after(minutes(10), |world| {
        world.fail("md0", 4);
        tell(
            world,
            &[
                ("PAR_EVENT", "fail"),
                ("PAR_MEMBER", "4"),
                ("PAR_DEVICE", "sde"),
            ],
        );
    });
    sim.after(minutes(20), |world| {
        world.array("md0").members[4].disk = Some("sde".to_owned());
        world.array("md0").members[4].in_sync = false;
        world.array("md0").sync_action = "recover".to_owned();
        world.tree.remove(Path::new("/sys/block/md0/md/dev-sde"));
    });
    sim.after(minutes(30), |world| {
        world.array("md0").members[4].in_sync = true;
        world.array("md0").sync_action = "idle".to_owned();
    });
    sim.after(minutes(40), |world| world.array("md0").mismatches = 8);
    sim.after(minutes(50), |world| {
        world.array("md0").log.as_mut().unwrap().lost = 4096;
        tell(world, &[("PAR_EVENT", "lost"), ("PAR_KIND", "data")]);
        tell(
            world,
            &[
                ("PAR_EVENT", "lost"),
                ("PAR_KIND", "copy"),
                ("PAR_MEMBER", "1"),
            ],
        );
    });
    sim.after(minutes(60), |world| {
        world.fail("md0", 1);
        world.fail("md0", 2);
    });
    sim.after(minutes(70), |world| {
        world.stop("md0");
        world.add_inactive("md0", &["sda", "sdd"]);
    });
    let left = run(&sim, minutes(80));
    let said = [
        "md0 is degraded: 1 member is missing or not rebuilt, failed: sde",
        "md0 is rebuilding: 1 member is missing or not rebuilt",
        "md0 is whole",
        "md0 is not sure of its data: a check has found mismatches",
        "md0 is not sure of its data: 4.10 kB of the write log's content are lost, a check has found mismatches",
        "md0 is BROKEN: 2 members are missing or not rebuilt, failed: sdb sdc, 4.10 kB of the write log's content are lost",
        "md0 is inactive: INACTIVE: it has not been started; 2 members were found (sda sdd), its level is unknown before it is started",
    ];
    assert_eq!(left.err.lines().collect::<Vec<_>>(), said);
    let hooks = ran(&sim)
        .iter()
        .filter(|line| *line == "/tmp/hook state md0")
        .count();
    assert_eq!(hooks, said.len());
    // The module's uevents of the same are no events beside these.
    let history = History::open_existing(&sim).unwrap().unwrap();
    let kept = history.events(0, &Of::All).unwrap();
    let kept: Vec<_> = kept.iter().filter(|event| event.kind != "state").collect();
    assert!(
        kept.len() == 1 && kept[0].what.as_deref() == Some("copy"),
        "{kept:?}"
    );
    let world = sim.world();
    let mails = world
        .ran
        .iter()
        .filter(|program| program.name == "sendmail");
    let mails: Vec<_> = mails
        .map(|program| program.input.clone().unwrap())
        .collect();
    assert_eq!(mails.len(), said.len());
    for (mail, said) in mails.iter().zip(said) {
        assert!(
            mail.starts_with(&format!(
                "To: root\nSubject: paradm on nas: {said}\n\nOn nas:\n\n2026-11-24 "
            )),
            "{mail}"
        );
    }
}

/// As mdadm's monitor does when it starts.
#[test]
fn what_is_not_whole_when_the_daemon_starts_is_told() {
    let sim = one();
    sim.world().fail("md0", 0);
    let left = run(&sim, minutes(5));
    assert_eq!(
        left.err,
        "md0 is degraded: 1 member is missing or not rebuilt, failed: sda\n"
    );
}

#[test]
fn a_hook_that_fails_is_told_of_once_and_disturbs_nothing() {
    let sim = one();
    configured(
        &sim,
        "hook = \"/x\"\nmail = \"root\"\nmail_events = [\"shift\"]",
    );
    works(&sim, "/x");
    sim.world().hangs.insert("/x".to_owned());
    sim.after(minutes(1), |world| shift(world, "3"));
    let left = run(&sim, minutes(10));
    assert_eq!(left.code, 0);
    assert_eq!(
        left.err,
        "/x shift md0 took more than 10 s, and was killed\n\
         /x sleep md0 took more than 10 s, and was killed\n\
         there is no sendmail on this system: install it, or take it out of the configuration\n"
    );
    let history = History::open_existing(&sim).unwrap().unwrap();
    assert_eq!(history.events(0, &Of::All).unwrap().len(), 3);
}

#[test]
fn disks_without_runtime_pm_are_stopped_by_their_tools() {
    let mut array = SimArray::new("md0", &[3, 5]);
    for member in &mut array.members {
        member.runtime_pm = false;
    }
    let sim = SimSystem::with([array]);
    sim.world().tree.link("/dev/disk/by-id/ata-X", "/dev/sde");
    configured(
        &sim,
        "[standby]\n\"/dev/disk/by-id/ata-X\" = \"hdparm\"\n\"/dev/sda\" = \"sdparm\"\n",
    );
    works(&sim, "hdparm");
    sim.after(minutes(1), |world| shift(world, "3"));
    let left = run(&sim, minutes(5));
    assert_eq!(
        (left.code, left.err.as_str()),
        (0, "sde is stopped by hdparm\n")
    );
    // sdd is nobody's, sda does not sleep.
    assert_eq!(ran(&sim), ["hdparm -y /dev/sde"]);
    // It sleeps when the daemon starts.
    sim.world().ran.clear();
    run(&sim, minutes(1));
    assert_eq!(ran(&sim), ["hdparm -y /dev/sde"]);
}

#[test]
fn a_check_finds_files_that_are_not_there() {
    let sim = one();
    for (text, said) in [
        (
            "hook = \"/usr/local/sbin/typo\"",
            "hook: there is no /usr/local/sbin/typo",
        ),
        (
            "textfile = \"/typo/raidpar.prom\"",
            "textfile: there is no /typo",
        ),
    ] {
        configured(&sim, text);
        let left = paradm(&sim, "daemon --check");
        assert_eq!((left.code, left.err), (2, format!("paradm: {said}\n")));
    }
    sim.world().tree.file("/typo/x", "");
    assert_eq!(paradm(&sim, "daemon --check").code, 0);
    // And nothing is created for a slip.
    let left = paradm(&sim, "metrics --textfile /none/raidpar.prom");
    assert_eq!(
        (left.code, left.err.as_str()),
        (
            6,
            "paradm: writing /none/raidpar.prom: there is no directory /none\n"
        )
    );
    assert!(!sim.exists(Path::new("/none")));
}

/// Once: whoever wants it to turn afterwards has it turn.
#[test]
fn a_spare_s_disk_is_left_to_runtime_pm() {
    let sim = one();
    let device = "/sys/devices/pci0000:00/block/sdx";
    let control = format!("{device}/device/power/control");
    let start_stop = format!("{device}/device/scsi_disk/0:0:0:0/manage_runtime_start_stop");
    let mut world = sim.world();
    for (file, text) in [
        (format!("{device}/queue/rotational"), "1\n"),
        (
            format!("{device}/device/power/autosuspend_delay_ms"),
            "-1\n",
        ),
        (start_stop.clone(), "0\n"),
        (control.clone(), "on\n"),
        ("/sys/block/md0/md/dev-sdx/state".to_owned(), "spare\n"),
    ] {
        world.tree.file(file, text);
    }
    world.tree.link("/sys/block/md0/md/dev-sdx/block", device);
    drop(world);
    let end = control.clone();
    sim.after(minutes(3), move |world| {
        assert_eq!(world.tree.read(Path::new(&control)).unwrap(), "auto");
        world.tree.file(control, "on\n");
    });
    let left = run(&sim, minutes(6));
    let said = "sdx, a spare of md0, is stopped by runtime PM when it is idle\n";
    assert_eq!((left.code, left.err.as_str()), (0, said));
    assert_eq!(sim.read(Path::new(&start_stop)).unwrap(), "1");
    assert_eq!(sim.read(Path::new(&end)).unwrap(), "on\n");
    let delay = format!("{device}/device/power/autosuspend_delay_ms");
    assert_eq!(sim.read(Path::new(&delay)).unwrap(), "60000");
}

/// A USB bridge that does not answer: for each of its disks the daemon waits half a minute, and goes on meanwhile.
#[test]
fn disks_whose_bridge_hangs_do_not_hang_the_daemon() {
    let mut array = SimArray::new("md0", &[2, 14]).in_gear(2);
    for member in &mut array.members {
        member.runtime_pm = false;
    }
    let sim = SimSystem::with([array]);
    let disks: Vec<_> = sim.world().array("md0").members[2..]
        .iter()
        .map(|member| format!("\"/dev/{}\" = \"hdparm\"\n", member.disk.as_ref().unwrap()))
        .collect();
    configured(&sim, &format!("[standby]\n{}", disks.concat()));
    works(&sim, "hdparm");
    {
        let mut world = sim.world();
        world.hangs.insert("hdparm".to_owned());
        world.daemon.watchdog = Some(Duration::from_secs(120));
    }
    let left = run(&sim, minutes(10));
    assert_eq!(left.code, 0);
    assert_eq!(left.err.lines().count(), 12, "{left}");
    let said = "hdparm -y /dev/sdc took more than 30 s, and was killed\n";
    assert!(left.err.starts_with(said), "{left}");
    let world = sim.world();
    assert_eq!(world.ran.len(), 12);
    // systemd hears of it before the first disk, and between one and the next.
    let alive = world.daemon.notified.iter();
    let alive = alive.filter(|state| *state == "WATCHDOG=1").count();
    assert!(world.daemon.notified[0].starts_with("READY=1") && alive >= 12);
}

#[test]
fn a_disk_that_hangs_when_the_daemon_is_told_to_end_is_the_last_one() {
    let mut array = SimArray::new("md0", &[3, 5]).in_gear(3);
    for member in &mut array.members {
        member.runtime_pm = false;
    }
    let sim = SimSystem::with([array]);
    configured(
        &sim,
        "[standby]\n\"/dev/sdd\" = \"hdparm\"\n\"/dev/sde\" = \"sdparm\"\n",
    );
    for program in ["hdparm", "sdparm"] {
        works(&sim, program);
        sim.world().hangs.insert(program.to_owned());
    }
    let left = run(&sim, Duration::from_secs(10));
    assert_eq!(left.code, 0);
    assert_eq!(ran(&sim), ["hdparm -y /dev/sdd"]);
}

#[test]
fn a_member_that_is_needed_again_is_not_stopped() {
    let mut array = SimArray::new("md0", &[3, 5]);
    array.members[4].runtime_pm = false;
    let sim = SimSystem::with([array]);
    configured(&sim, "[standby]\n\"/dev/sde\" = \"hdparm\"\n");
    works(&sim, "hdparm");
    sim.after(minutes(1), |world| {
        let values = [
            ("PAR_EVENT", "sleep"),
            ("PAR_MEMBER", "4"),
            ("PAR_DEVICE", "sde"),
            ("PAR_POWER", "logical"),
        ];
        let values = values.map(|(key, value)| (key, value.to_owned()));
        world.array("md0").tell(&values);
    });
    assert_eq!(run(&sim, minutes(5)).code, 0);
    assert_eq!(ran(&sim), [""; 0]);
}

#[test]
fn a_configuration_is_read_again_or_stays_as_it_was() {
    let sim = one();
    configured(&sim, "listen = \"127.0.0.1:9110\"");
    let change = |at: u64, text: &'static str| {
        sim.after(minutes(at), move |world| {
            world.tree.file(CONFIG, text);
            world.daemon.reload();
        });
    };
    change(1, "listen = \"127.0.0.1:9110\"\nmail_to = \"root\"\n");
    sim.after(minutes(2), |world| world.daemon.call(METRICS));
    change(3, "listen = \"127.0.0.1:9111\"");
    sim.after(minutes(4), |world| {
        world.daemon.taken.push("127.0.0.1:9112".parse().unwrap())
    });
    change(5, "listen = \"127.0.0.1:9112\"");
    let left = run(&sim, minutes(6));
    let said: Vec<_> = left.err.lines().collect();
    assert!(said[0].starts_with("the configuration stays as it was: /etc/paradm/daemon.toml: line 2: unknown field `mail_to`"));
    assert_eq!(said[1], "the configuration was read again");
    assert!(
        said[2].starts_with("the configuration stays as it was: listening on 127.0.0.1:9112: "),
        "{left}"
    );
    let world = sim.world();
    assert_eq!(world.daemon.port, Some("127.0.0.1:9111".parse().unwrap()));
    assert_eq!(world.daemon.answered.len(), 1);
    let reloads = world
        .daemon
        .notified
        .iter()
        .filter(|state| *state == "RELOADING=1")
        .count();
    assert_eq!(reloads, 3);
}

#[test]
fn the_service_manager_hears_of_it_often_enough() {
    let sim = one();
    sim.world().daemon.watchdog = Some(Duration::from_secs(30));
    run(&sim, minutes(10));
    let world = sim.world();
    let heard = world
        .daemon
        .notified
        .iter()
        .filter(|state| *state == "WATCHDOG=1")
        .count();
    assert!((40..90).contains(&heard), "{heard}");
}

#[test]
fn arrays_come_and_go() {
    let sim = automatic();
    assert_eq!(paradm(&sim, "schedule apply").code, 0);
    configured(&sim, "textfile = \"/tmp/raidpar.prom\"");
    sim.after(minutes(10), |world| world.stop("md0"));
    sim.after(minutes(20), |world| {
        world.add(SimArray::new("md1", &[3, 5]))
    });
    let left = run(&sim, minutes(30));
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    let text = sim
        .world()
        .tree
        .read(Path::new("/tmp/raidpar.prom"))
        .unwrap();
    assert!(text.contains("md1") && !text.contains("md0"));
}

/// Two that follow their schedules, in their lowest gears.
fn two_following() -> SimSystem {
    let sim = following();
    let mut other = SimArray::of_level("md1", 5, &[3, 5, 8], 'm').in_gear(3);
    other.load_history = sim.world().array("md0").load_history.clone();
    sim.world().add(other);
    for line in ["policy set policy=auto --array md1", "schedule apply md1"] {
        assert_eq!(paradm(&sim, line).code, 0, "{line}");
    }
    sim
}

#[test]
fn an_array_that_cannot_be_read_keeps_no_other_from_following() {
    let sim = two_following();
    let noon = 4 * 3600;
    sim.after(minutes(10), |world| {
        world.spoil("/sys/block/md0/md/par/up_threshold", "x");
        world.spoil("/sys/block/md0/md/par/load_history", "x");
        world.tree.file("/var/lib/paradm/pins.json", "x");
    });
    sim.after(minutes(12), |world| {
        world.tree.remove(Path::new("/var/lib/paradm/pins.json"));
    });
    sim.after(Duration::from_secs(noon + 70), |world| {
        assert_eq!(world.limit("md1", "min_gear"), 8);
    });
    let left = run(&sim, Duration::from_secs(noon + 75));
    assert_eq!(left.code, 5, "{left}");
    let told = |what: &str| left.err.lines().filter(|line| line.contains(what)).count();
    let history = History::open_existing(&sim).unwrap().unwrap();
    let hours = history.hours(&ArrayKey::of(&sim, "md1"), 0).unwrap();
    assert_eq!(hours.len(), 154);
    // What fails each minute is told once, also beside another failure; and at the end, which it keeps from being clean.
    assert_eq!((told("up_threshold"), told("pins.json")), (2, 1), "{left}");
    assert_eq!(sim.world().limit("md1", "min_gear"), 3);
}

/// An array is stopped, and the daemon right after it, as when a system goes down: that is no failure, and the other
/// array has its own limits, and the events are kept.
#[test]
fn an_array_that_has_just_gone_does_not_keep_the_daemon_from_a_clean_end() {
    let sim = two_following();
    let (start, noon) = (sim.now().as_second(), 4 * 3600);
    sim.after(Duration::from_secs(noon + 50), |world| shift(world, "8"));
    sim.after(Duration::from_secs(noon + 70), |world| {
        assert_eq!(world.limit("md1", "min_gear"), 8);
        world.stop("md0");
    });
    let left = run(&sim, Duration::from_secs(noon + 75));
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    assert_eq!(sim.world().limit("md1", "min_gear"), 3);
    let history = History::open_existing(&sim).unwrap().unwrap();
    let events = history.events(start, &Of::All);
    assert!(events.unwrap().iter().any(|event| event.kind == "wake"));
}

#[test]
fn what_is_wrong_from_the_start_is_said() {
    let sim = one();
    sim.world()
        .daemon
        .locked
        .insert("/run/paradm/daemon.lock".into());
    let left = paradm(&sim, "daemon");
    assert_eq!(
        (left.code, left.err.as_str()),
        (
            6,
            "paradm: paradm daemon: another one runs, and holds /run/paradm/daemon.lock\n"
        )
    );
    let sim = one();
    configured(&sim, "history_days = 1");
    for line in ["daemon", "daemon --check"] {
        let left = paradm(&sim, line);
        assert_eq!(
            (left.code, left.err.as_str()),
            (
                2,
                "paradm: /etc/paradm/daemon.toml: history_days: it is from 7 to 3650\n"
            )
        );
    }
    assert_eq!(paradm(&sim, "daemon --config /y").code, 5);
    configured(&sim, "listen = \"[::1]:9110\"");
    assert_eq!(paradm(&sim, "daemon --check").code, 0);
    sim.world().daemon.taken.push("[::1]:9110".parse().unwrap());
    let left = paradm(&sim, "daemon");
    assert_eq!(left.code, 6);
    assert!(
        left.err.starts_with("paradm: listening on [::1]:9110: "),
        "{left}"
    );
    let sim = one();
    sim.world().root = false;
    assert_eq!(paradm(&sim, "daemon").code, 4);
}
