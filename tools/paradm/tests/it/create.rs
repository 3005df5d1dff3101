// SPDX-License-Identifier: GPL-2.0
//! `paradm create`.

use crate::harness::{golden, json, paradm, session};
use expect_test::expect_file;
use paradm::sim::{SimArray, SimSystem, World};
use paradm::system::{Program, Ran};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const FIVE: &str = "/dev/sdv /dev/sdw /dev/sdx /dev/sdy /dev/sdz";

fn plant(world: &mut World, name: &str, sectors: u64) {
    let dir = format!("/sys/devices/pci0000:00/ata1/block/{name}");
    let tree = &mut world.tree;
    for (file, text) in [
        ("size", format!("{sectors}\n")),
        ("ro", "0\n".to_owned()),
        ("device/model", "NEARLINE 4\n".to_owned()),
        ("queue/rotational", "1\n".to_owned()),
        ("queue/zoned", "none\n".to_owned()),
    ] {
        tree.file(format!("{dir}/{file}"), &text);
    }
    tree.dir(format!("{dir}/holders"));
    tree.link(format!("/sys/class/block/{name}"), dir);
    tree.file(format!("/dev/{name}"), "");
}

fn last(program: &Program) -> String {
    program.args.last().unwrap().to_string_lossy().into_owned()
}

fn said(stdout: impl Into<String>) -> Ran {
    Ran {
        stdout: stdout.into(),
        ..Ran::default()
    }
}

fn failed(status: i32, stderr: &str) -> Ran {
    Ran {
        status,
        stderr: stderr.to_owned(),
        ..Ran::default()
    }
}

fn lsblk(device: &str, more: &str) -> Ran {
    let name = device.trim_start_matches("/dev/");
    said(format!(
        r#"{{"blockdevices": [{{"name": "{name}", "type": "disk", "serial": "S-{name}"{more}}}]}}"#
    ))
}

/// Five empty disks of 4 TB, a patched mdadm; what lsblk and blkid tell of some disk besides.
pub fn system(blocks: &[(&str, &str)], probed: &[(&str, &str)]) -> SimSystem {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
    equip(&sim, blocks, probed);
    sim
}

/// The same on another system.
pub fn equip(sim: &SimSystem, blocks: &[(&str, &str)], probed: &[(&str, &str)]) {
    for letter in 'v'..='z' {
        plant(&mut sim.world(), &format!("sd{letter}"), 7_814_037_168);
    }
    let owned = |list: &[(&str, &str)]| -> BTreeMap<String, String> {
        let pairs = list
            .iter()
            .map(|(disk, text)| ((*disk).to_owned(), (*text).to_owned()));
        pairs.collect()
    };
    let (blocks, probed) = (owned(blocks), owned(probed));
    sim.program("lsblk", move |_, program| {
        let device = last(program);
        lsblk(&device, blocks.get(&device).map_or("", String::as_str))
    });
    sim.program("blkid", move |_, program| {
        match probed.get(&last(program)) {
            Some(text) => said(text.as_str()),
            None => failed(2, ""),
        }
    });
    sim.program("mdadm", |_, program| match program.args[0].to_str() {
        Some("--examine") => said("MD_LEVEL=par\nMD_UUID=aa:bb:cc:dd\n"),
        _ => Ran::default(),
    });
}

/// mdadm's commands that would change something.
fn creations(sim: &SimSystem) -> Vec<String> {
    let world = sim.world();
    assert!(world.written.is_empty());
    let shown = world.ran.iter().map(Program::shown);
    shown
        .filter(|line| line.starts_with("mdadm --create") && !line.ends_with("--help"))
        .collect()
}

/// The error of a command that has changed nothing.
fn refusal(sim: &SimSystem, line: &str, code: u8) -> String {
    let left = paradm(sim, line);
    assert_eq!(
        (left.code, left.out.as_str()),
        (code, ""),
        "{line}: {}",
        left.err
    );
    assert_eq!(creations(sim), [""; 0], "{line}");
    left.err
}

#[test]
fn a_dry_run_shows_all_and_changes_nothing() {
    let sim = system(&[], &[("/dev/sdz", "TYPE=ext4\nLABEL=old\nPTTYPE=\n")]);
    let dry = format!("create md1 {FIVE} --gears 3,5 --dry-run");
    let text = session(&sim, &[&dry, &format!("{dry} --overwrite")]);
    golden(&expect_file!["../golden/create.txt"], &text);
    assert_eq!(creations(&sim), [""; 0]);
    let value = json(&sim, &format!("{dry} --overwrite"));
    assert_eq!(value["outcome"], "planned");
    assert_eq!(value["members"][4]["holds"][0], "ext4 (old)");
    assert_eq!(value["members"][4]["role"], "sleeper");
}

#[test]
fn what_is_confirmed_is_created() {
    let command = "mdadm --create /dev/md1 --level=par --layout=raid5:3,5 --raid-devices=5 --chunk=512K --log-size=3725M --image-share=10 --run";
    let sim = system(&[], &[]);
    let left = paradm(&sim, &format!("create md1 {FIVE} --yes"));
    assert_eq!((left.code, left.err.as_str()), (0, ""));
    assert_eq!(creations(&sim), [format!("{command} {FIVE}")]);
    // Until then nothing sleeps.
    let last = left.out.lines().next_back();
    assert_eq!(last, Some("  paradm policy set policy=auto --array md1"));

    let sim = system(&[], &[]);
    sim.world().typed = Some([FIVE, "3,5", "yes"].map(str::to_owned).into());
    let left = paradm(&sim, "create /dev/md1");
    assert_eq!(left.code, 0, "{}", left.err);
    assert_eq!(creations(&sim), [format!("{command} {FIVE}")]);
    assert!(sim.world().asked[2].contains("S-sdv"));
}

/// A slip is told and asked for again, below the disks that there are.
#[test]
fn whoever_names_no_devices_is_shown_the_disks_and_asked_until_they_are_right() {
    let sim = system(&[], &[]);
    let typed = [
        "/dev/sdv /dev/none",
        "/dev/sdv /dev/sdw",
        FIVE,
        "3;5",
        "3,4",
        "3,5",
        "yes",
    ];
    sim.world().typed = Some(typed.map(str::to_owned).into());
    let left = paradm(&sim, "create /dev/md1");
    assert_eq!(left.code, 0, "{}", left.err);
    let asked = sim.world().asked.clone();
    assert!(
        asked[0].contains("  /dev/sdv  4.00 TB  NEARLINE 4\n"),
        "{}",
        asked[0]
    );
    assert!(
        asked[1].starts_with("there is no block device /dev/none\nDevices"),
        "{}",
        asked[1]
    );
    assert!(
        asked[2]
            .starts_with("two gears of raid5 need 3 members at least, and 2 devices are given\n"),
        "{}",
        asked[2]
    );
    assert!(
        asked[4].starts_with("gears are numbers of members"),
        "{}",
        asked[4]
    );
    assert!(
        asked[5].starts_with("the last of the gears 3,4 is of 4 members"),
        "{}",
        asked[5]
    );
    assert_eq!(creations(&sim).len(), 1);

    // Nothing is asked for an array that can have no such name.
    let sim = system(&[], &[]);
    sim.world().typed = Some([FIVE.to_owned()].into());
    refusal(&sim, "create a/b", 2);
    assert_eq!(sim.world().asked, [""; 0]);
}

#[test]
fn too_few_devices_and_gears_of_others_are_told_plainly() {
    let sim = system(&[], &[]);
    for (line, said) in [
        (
            "create md7 /dev/sdv --yes",
            "two gears of raid5 need 3 members at least, and 1 device is given",
        ),
        (
            "create md7 /dev/sdv /dev/sdw /dev/sdx --gears 2,4 --yes",
            "the last of the gears 2,4 is of 4 members, and 3 devices are given: it is the number of all members",
        ),
    ] {
        assert_eq!(refusal(&sim, line, 2), format!("paradm: {said}\n"));
    }
}

#[test]
fn a_write_log_is_made_by_mdadm() {
    let sim = system(&[], &[]);
    let line = format!("create md1 {FIVE} --gears 3,5 --image-share 100");
    let logged = format!("{line} --log-size 8192M");
    let (with, without) = (
        json(&sim, &format!("{logged} --dry-run")),
        json(&sim, &format!("{line} --log-size none --dry-run")),
    );
    assert_eq!(with["log_bytes"], 8_u64 << 30);
    assert!(without["log_bytes"].is_null());
    let command = without["command"].as_str().unwrap();
    assert!(command.contains(" --log-size=none "), "{command}");
    let usual = json(&sim, &format!("{line} --dry-run"));
    assert_eq!(usual["log_bytes"], 3725_u64 << 20);
    let bytes = |creation: &Value| creation["bytes"].as_u64().unwrap();
    // Half of what is taken from the four disks' worth that five have with these gears.
    let less = bytes(&without) - bytes(&with);
    assert!(less.abs_diff(16 << 30) < 16 << 20, "{less}");
    let left = paradm(&sim, &format!("{logged} --yes"));
    let done = "/dev/md1 is created: raid5:3,5, about 7.98 TB, with a write log of 8.59 GB on each member that never sleeps\n";
    assert!(left.code == 0 && left.out.starts_with(done), "{left}");
    assert_eq!(
        creations(&sim),
        [format!(
            "mdadm --create /dev/md1 --level=par --layout=raid5:3,5 --raid-devices=5 --chunk=512K --log-size=8G --image-share=100 --run {FIVE}"
        )]
    );
}

#[test]
fn images_of_a_share_are_made_by_mdadm() {
    let sim = system(&[], &[]);
    let line = format!("create md1 {FIVE} --gears 3,5 --log-size none");
    let shared = format!("{line} --image-share 25");
    let (with, without) = (
        json(&sim, &format!("{shared} --dry-run")),
        json(&sim, &format!("{line} --image-share 100 --dry-run")),
    );
    assert_eq!(
        (&with["image_share"], &without["image_share"]),
        (&25.into(), &100.into())
    );
    let command = without["command"].as_str().unwrap();
    assert!(command.contains(" --image-share=100 "), "{command}");
    let usual = json(&sim, &format!("{line} --dry-run"));
    assert_eq!(usual["image_share"], 100);
    let command = usual["command"].as_str().unwrap();
    assert!(!command.contains(" --image-share"), "{command}");
    let logged = format!("create md1 {FIVE} --gears 3,5 --dry-run");
    let logged = json(&sim, &logged);
    assert_eq!(logged["image_share"], 10);
    let command = logged["command"].as_str().unwrap();
    assert!(command.contains(" --image-share=10 "), "{command}");
    let bytes = |creation: &Value| creation["bytes"].as_u64().unwrap();
    // 1.6 times as much, less some metadata.
    let less = bytes(&without) / 5 * 8 - bytes(&with);
    assert!(less < 1 << 30, "{less}");
    let left = paradm(&sim, &format!("{shared} --yes"));
    let done = "/dev/md1 is created: raid5:3,5, about 12.8 TB, with images of 25 %\n";
    assert!(left.code == 0 && left.out.starts_with(done), "{left}");
    assert_eq!(
        creations(&sim),
        [format!(
            "mdadm --create /dev/md1 --level=par --layout=raid5:3,5 --raid-devices=5 --chunk=512K --log-size=none --image-share=25 --run {FIVE}"
        )]
    );
    let sim = system(&[], &[]);
    sim.program("mdadm", |_, program| {
        let newer = |arg: &std::ffi::OsString| arg.to_string_lossy().starts_with("--image-share");
        match program.args.iter().any(newer) {
            true => failed(2, "mdadm: unrecognized option '--image-share=25'\n"),
            false => Ran::default(),
        }
    });
    assert!(
        refusal(&sim, &format!("{shared} --yes"), 8).contains("mdadm that knows --image-share")
    );
}

#[test]
fn a_write_log_that_cannot_be_is_refused_before_a_device_is_read() {
    let sim = system(&[], &[]);
    sim.program("mdadm", |_, program| {
        let newer = |arg: &std::ffi::OsString| arg.to_string_lossy().starts_with("--log-size");
        match program.args.iter().any(newer) {
            true => failed(2, "mdadm: unrecognized option '--log-size=8G'\n"),
            false => Ran::default(),
        }
    });
    let mut said = String::new();
    for (size, code) in [("8G", 8), ("3M", 2), ("8GB", 2), ("3800G", 2)] {
        let line = format!("create md1 {FIVE} --gears 3,5 --log-size {size} --yes");
        said += &refusal(&sim, &line, code);
    }
    assert_eq!(
        said,
        "paradm: there is no mdadm that knows --log-size on this system: the one that is installed has older patches of raid-par; \
         install mdadm with raid-par's patches, see \"On a system\" in mdadm.md\n\
         paradm: \"3M\" is no value of --log-size <SIZE>: a log's size is given as mdadm takes it, as 512M or 8G \
         (binary), 4M at least, or none, not \"3M\"\n\
         paradm: \"8GB\" is no value of --log-size <SIZE>: a log's size is given as mdadm takes it, as 512M or 8G \
         (binary), 4M at least, or none, not \"8GB\"\n\
         paradm: gears 3,5 with raid5: the members are too small for this layout and chunk, with a log of 3800G\n"
    );
    let world = sim.world();
    assert!(world.ran.iter().all(|program| program.name == "mdadm"));
}

#[test]
fn without_a_yes_nothing_is_created() {
    let sim = system(&[], &[]);
    let line = format!("create md1 {FIVE}");
    assert!(refusal(&sim, &line, 6).contains("add --yes"));
    for answer in ["", "y", "no"] {
        sim.world().typed = Some([answer.to_owned()].into());
        assert!(refusal(&sim, &line, 6).contains("that was not yes"));
    }
    sim.world().typed = Some(["/dev/sdv".to_owned(), String::new()].into());
    assert!(refusal(&sim, "create md1", 2).contains("no devices are given"));
    sim.world().root = false;
    assert!(refusal(&sim, &format!("{line} --yes"), 4).contains("root is needed"));
}

#[test]
fn devices_in_use_are_refused_whatever_the_options() {
    let part = r#", "children": [{"name": "sdx1", "type": "part", "#;
    let cases = [
        (
            r#", "mountpoints": ["/srv"]"#.to_owned(),
            "sdx is mounted on /srv",
        ),
        (
            format!(r#"{part}"mountpoints": ["/"]}}]"#),
            "sdx1 is mounted on /",
        ),
        (
            format!(r#"{part}"mountpoints": ["[SWAP]"]}}]"#),
            "sdx1 is swap",
        ),
        (
            format!(r#"{part}"fstype": "linux_raid_member"}}]"#),
            "partition sdx1 is a member",
        ),
        (
            r#", "children": [{"name": "md7", "type": "raid5"}]"#.to_owned(),
            "sdx is part of md7",
        ),
        (
            format!(r#"{part}"children": [{{"name": "vg-a", "type": "lvm"}}]}}]"#),
            "sdx1 is part of vg-a",
        ),
    ];
    for (block, words) in cases {
        let sim = system(&[("/dev/sdx", &block)], &[]);
        let said = refusal(&sim, &format!("create md1 {FIVE} --overwrite --yes"), 6);
        assert!(
            said.contains("/dev/sdx: ") && said.contains(words),
            "{said}"
        );
    }
    // Known to sysfs alone.
    let sim = system(&[], &[]);
    let holder = "/sys/devices/pci0000:00/ata1/block/sdx/holders/bcache0";
    sim.world().tree.file(holder, "");
    let said = refusal(&sim, &format!("create md1 {FIVE} --overwrite --yes"), 6);
    assert!(said.contains("part of bcache0"), "{said}");
}

#[test]
fn members_of_arrays_are_refused_whatever_the_options() {
    let probed = [("/dev/sdw", "TYPE=linux_raid_member\n")];
    let line = format!("create md1 {FIVE} --overwrite --yes");
    let sim = system(&[], &probed);
    let said = refusal(&sim, &line, 6);
    assert!(
        said.contains("par array aa:bb:cc:dd") && said.contains("Never create anew"),
        "{said}"
    );
    sim.program("mdadm", |_, program| match program.args[0].to_str() {
        Some("--examine") => said_of_raid1(),
        _ => Ran::default(),
    });
    assert!(refusal(&sim, &line, 6).contains("member of the raid1 array"));
}

fn said_of_raid1() -> Ran {
    said("MD_LEVEL=raid1\nMD_UUID=1:2:3:4\n")
}

#[test]
fn devices_that_cannot_be_members_are_refused() {
    let line = format!("create md1 {FIVE} --overwrite --yes");
    let cases = [
        ("ro", "1\n", "read-only"),
        ("queue/zoned", "host-managed\n", "host-managed SMR"),
    ];
    for (file, value, words) in cases {
        let sim = system(&[], &[]);
        let path = format!("/sys/devices/pci0000:00/ata1/block/sdy/{file}");
        sim.world().tree.file(path, value);
        assert!(refusal(&sim, &line, 6).contains(words));
    }
    let sim = system(&[], &[]);
    plant(&mut sim.world(), "sdy", 2048);
    refusal(&sim, &line, 2);
    sim.world()
        .tree
        .file("/sys/devices/pci0000:00/ata1/block/sdy/size", "many\n");
    assert!(refusal(&sim, &line, 5).contains("\"many\" is not a size"));
}

#[test]
fn doubtful_disks_are_warned_of() {
    let sim = system(&[], &[]);
    {
        let mut world = sim.world();
        plant(&mut world, "sdz", 9_000_000_000);
        let dir = "/sys/devices/pci0000:00/ata1/block";
        world
            .tree
            .file(format!("{dir}/sdy/queue/rotational"), "0\n");
        world
            .tree
            .file(format!("{dir}/sdx/queue/zoned"), "host-aware\n");
        let usb = "/sys/devices/pci0000:00/usb2/2-1/block/sdw";
        world.tree.file(format!("{usb}/size"), "7814037168\n");
        world.tree.file(format!("{usb}/queue/rotational"), "1\n");
        world.tree.link("/sys/class/block/sdw", usb);
    }
    let value = json(&sim, &format!("create md1 {FIVE} --dry-run"));
    let warnings = value["warnings"].as_array().unwrap();
    let words = [
        "different sizes",
        "sdw is behind a USB",
        "sdx is an SMR",
        "sdy is not a hard disk",
    ];
    assert_eq!(warnings.len(), words.len(), "{warnings:?}");
    for (warning, words) in warnings.iter().zip(words) {
        assert!(warning.as_str().unwrap().contains(words), "{warning}");
    }
}

#[test]
fn an_mdadm_without_the_patches_is_found_out() {
    let sim = system(&[], &[]);
    let line = format!("create md1 {FIVE} --yes");
    sim.program("mdadm", |_, _| {
        failed(2, "mdadm: invalid raid level: par\n")
    });
    assert!(refusal(&sim, &line, 8).contains("lacks raid-par's patches"));
    let sim = SimSystem::new();
    for letter in 'v'..='z' {
        plant(&mut sim.world(), &format!("sd{letter}"), 7_814_037_168);
    }
    assert!(refusal(&sim, &line, 8).contains("there is no mdadm"));
    sim.program("mdadm", |_, _| Ran::default());
    assert!(refusal(&sim, &line, 8).contains("there is no lsblk"));
    sim.program("lsblk", |_, program| lsblk(&last(program), ""));
    assert!(refusal(&sim, &line, 8).contains("there is no blkid"));
}

#[test]
fn tools_that_fail_are_quoted() {
    let line = format!("create md1 {FIVE} --yes");
    let sim = system(&[], &[]);
    sim.program("blkid", |_, _| {
        failed(2, "blkid: /dev/sdv: Permission denied\n")
    });
    assert!(refusal(&sim, &line, 6).contains("Permission denied"));
    // Two signatures, one of which may be an array's.
    sim.program("blkid", |_, _| failed(8, ""));
    let forced = format!("{line} --overwrite");
    assert!(refusal(&sim, &forced, 6).contains("several kinds"));
    let sim = system(&[], &[]);
    sim.program("lsblk", |_, _| said("{"));
    assert!(refusal(&sim, &line, 6).contains("not understood"));
    let sim = system(&[], &[]);
    sim.program("mdadm", |_, program| {
        if last(program) == "--help" {
            Ran::default()
        } else {
            failed(
                1,
                "mdadm: /dev/sdv is member 0 of the par array 6a2b\n       --assemble starts it.\n",
            )
        }
    });
    let left = paradm(&sim, &line);
    assert_eq!(left.code, 7);
    assert!(
        left.err.contains("par array 6a2b --assemble starts it"),
        "{}",
        left.err
    );
    assert_eq!(left.err.lines().count(), 1);
}

#[test]
fn bad_options_are_told() {
    let sim = system(&[], &[]);
    sim.world()
        .tree
        .link("/dev/disk/by-id/v", Path::new("/dev/sdv"));
    let cases = [
        (format!("create md1 {FIVE} --gears 5,3"), 2, "growing"),
        (format!("create md1 {FIVE} --gears 5"), 2, "two gears"),
        (
            format!("create md1 {FIVE} --gears 3,4"),
            2,
            "5 devices are given",
        ),
        (
            format!("create md1 {FIVE} --gears 3,5 --level raid6"),
            2,
            "raid6",
        ),
        (format!("create md1 {FIVE} --level raid1"), 2, "raid1"),
        (format!("create md1 {FIVE} --chunk 32"), 2, "32"),
        (format!("create md1 {FIVE} --chunk 100"), 2, "power of two"),
        (format!("create md1 {FIVE} --spares 9"), 2, "9 spares"),
        (
            format!("create md1 {FIVE} --spares 1 --level raid0"),
            2,
            "raid0 can have none",
        ),
        (
            "create md1 sdv sdw sdx".to_owned(),
            2,
            "as /dev/sda, not sdv",
        ),
        (format!("create md1 {FIVE} --spares -1"), 2, "-1"),
        (format!("create md1 {FIVE} --yes --dry-run"), 2, "--dry-run"),
        (format!("create ../sda {FIVE} --yes"), 2, "named as md0"),
        (format!("create md0 {FIVE} --yes"), 6, "runs already"),
        ("create md1 --yes".to_owned(), 2, "no devices"),
        (
            "create md1 /dev/none --yes".to_owned(),
            3,
            "no block device /dev/none",
        ),
        (
            format!("create md1 {FIVE} /dev/disk/by-id/v --yes"),
            2,
            "the same device",
        ),
    ];
    for (line, code, words) in cases {
        let said = refusal(&sim, &line, code);
        assert!(said.contains(words), "{line}: {said}");
    }
}
