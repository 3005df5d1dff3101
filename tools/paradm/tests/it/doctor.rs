// SPDX-License-Identifier: GPL-2.0
//! `paradm doctor`.

use crate::harness::{golden, json, paradm, session};
use expect_test::expect_file;
use paradm::sim::{SimArray, SimLog, SimSystem, World};
use paradm::system::Files;
use proptest::prelude::*;
use std::path::Path;

/// Nothing is wrong here: md0 on /srv, with all that `make install-extras` installs.
fn sound() -> SimSystem {
    let sim = SimSystem::with([SimArray::new("md0", &[3, 5]).in_gear(3)]);
    let mut world = sim.world();
    let tree = &mut world.tree;
    tree.file("/sys/block/md0/dev", "9:0\n");
    tree.file("/sys/block/md0/queue/iostats", "1\n");
    tree.link("/sys/class/block/md0", "/sys/block/md0");
    for letter in 'a'..='e' {
        let disk = format!("/sys/block/sd{letter}");
        let device = format!("/sys/devices/pci0000:00/block/sd{letter}");
        tree.file(format!("{device}/queue/iostats"), "1\n");
        tree.file(format!("{device}/size"), "7814037168\n");
        tree.link(format!("/sys/class/block/sd{letter}"), disk);
    }
    tree.file("/etc/udev/rules.d/65-md-par.rules", "");
    tree.file(
        "/usr/sbin/mdadm",
        "ELF %s: level par does not support a bitmap",
    );
    tree.link("/sbin", "/usr/sbin");
    tree.file("/proc/sys/kernel/osrelease", "6.12.1-amd64\n");
    tree.file("/boot/initrd.img-6.12.1-amd64", "");
    tree.file("/etc/initramfs-tools/hooks/raid-par", "");
    tree.file(
        "/lib/modules/6.12.1-amd64/modules.dep",
        "updates/raid-par.ko.xz: kernel/drivers/md/md-mod.ko.xz\n",
    );
    tree.dir("/lib/modules/6.11.0-removed");
    let version = format!("{}\n", env!("PARADM_VERSION"));
    tree.file("/sys/module/raid_par/version", &version);
    tree.file("/usr/lib/systemd/system/udisks2.service", "");
    mounts(&mut world, "9:0 / /srv rw,noatime");
    drop(world);
    sim
}

/// A root file system elsewhere, and this one.
fn mounts(world: &mut World, mount: &str) {
    let text = format!(
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sdz1 rw\n36 22 {mount} shared:9 - ext4 /dev/md0 rw\n"
    );
    world.tree.file("/proc/self/mountinfo", &text);
}

/// A check, and what it is to find.
type Defect = (&'static str, fn(&mut World));

/// One for each check, in their order.
fn defects() -> Vec<Defect> {
    vec![
        ("state", |world| world.array("md0").mismatches = 8),
        ("log_lost", |world| {
            world.array("md0").log = Some(SimLog {
                lost: 8192,
                ..SimLog::quarter()
            });
        }),
        ("lost_copies", |world| world.array("md0").lost_copies = 4096),
        ("spin", |world| {
            let file = Path::new("/sys/block/md0/md/par/spin");
            world.write(file, "off").unwrap();
        }),
        ("read_only", |world| {
            world.array("md0").array_state = "read-auto".to_owned();
        }),
        ("power_control", |world| {
            world
                .tree
                .file("/sys/devices/pci0000:00/block/sde/queue/rotational", "0\n");
        }),
        ("budget", |world| {
            let member = &mut world.array("md0").members[3];
            while member.ration.left() > 0 {
                member.ration.spend();
            }
        }),
        ("iostats", |world| {
            world
                .tree
                .file("/sys/devices/pci0000:00/block/sdb/queue/iostats", "0\n");
        }),
        ("polling", |world| {
            let disk = "/sys/devices/pci0000:00/block/sde";
            world.tree.file(format!("{disk}/removable"), "1\n");
            world.tree.file(format!("{disk}/events_poll_msecs"), "-1\n");
        }),
        ("sizes", |world| {
            world
                .tree
                .file("/sys/devices/pci0000:00/block/sda/size", "15628053168\n");
        }),
        ("zoned", |world| {
            world.tree.file(
                "/sys/devices/pci0000:00/block/sdc/queue/zoned",
                "host-aware\n",
            );
        }),
        ("atime", |world| mounts(world, "9:0 / /srv rw")),
        ("logs", |world| mounts(world, "9:0 / /var rw,noatime")),
        ("swap", |world| {
            world.tree.file(
                "/proc/swaps",
                "Filename Type Size Used Priority\n/srv/my\\040swap file 9 0 -2\n",
            );
        }),
        ("locate", |world| {
            world
                .tree
                .file("/etc/updatedb.conf", "PRUNEPATHS=\"/tmp /var/spool\"\n");
        }),
        ("indexers", |world| {
            world.tree.file("/proc/77/comm", "tracker-miner-f\n")
        }),
        ("smartd", |world| {
            world
                .tree
                .file("/etc/smartd.conf", "DEVICESCAN -n standby\n");
            world.tree.file("/etc/systemd/system/smartd.service", "");
        }),
        ("hdparm", |world| {
            world
                .tree
                .file("/etc/hdparm.conf", "/dev/sdd {\n\tspindown_time = 242\n}\n");
        }),
        ("timers", |world| {
            let wants = "/etc/systemd/system/multi-user.target.wants";
            world.tree.file(format!("{wants}/hd-idle.service"), "");
            world.tree.file(
                "/etc/default/hd-idle",
                "HD_IDLE_OPTS=\"-i 0 -a sdd -i 300\"\n",
            );
        }),
        ("udisks", |world| {
            world
                .tree
                .file("/sys/devices/pci0000:00/block/sde/dev", "8:64\n");
            world
                .tree
                .file("/run/udev/data/b8:64", "E:ID_ATA=1\nE:ID_SERIAL=DISK-E\n");
        }),
        ("power_rules", |world| {
            world.tree.file(
                "/etc/udev/rules.d/69-hdparm.rules",
                "# spin down\nKERNEL==\"sd[a-z]\", RUN+=\"/usr/bin/hdparm -S 41 /dev/%k\"\n",
            );
        }),
        ("rules", |world| {
            world
                .tree
                .remove("/etc/udev/rules.d/65-md-par.rules".as_ref())
        }),
        ("mdadm", |world| {
            world.tree.file("/usr/local/sbin/mdadm", "ELF")
        }),
        ("initramfs", |world| {
            let hook = "/etc/initramfs-tools/hooks/raid-par";
            let later = world.seconds().try_into().unwrap();
            world.modified.insert(hook.into(), later);
            let image = "/boot/initrd.img-6.12.1-amd64";
            world.modified.insert(image.into(), later - 1);
            // mdadm is as old as the image.
            world.modified.insert("/usr/sbin/mdadm".into(), later - 1);
            world
                .modified
                .insert("/usr/local/sbin/mdadm".into(), later - 1);
        }),
        ("kernels", |world| {
            world.tree.file(
                "/lib/modules/6.12.2-amd64/modules.dep",
                "kernel/raid-parity.ko: kernel/drivers/md/raid-par.ko\n",
            );
        }),
        ("versions", |world| {
            world.tree.file("/sys/module/raid_par/version", "0.0.9\n");
        }),
    ]
}

#[test]
fn nothing_is_found_on_a_sound_system() {
    let sim = sound();
    let left = paradm(&sim, "doctor");
    assert_eq!(left.out, "md0: 26 checks, nothing found\n");
    assert_eq!((left.code, left.err.as_str()), (0, ""));
}

#[test]
fn each_defect_is_found_by_its_check_and_no_other() {
    for (check, spoil) in defects() {
        let sim = sound();
        spoil(&mut sim.world());
        let value = json(&sim, "doctor");
        let found: Vec<_> = value["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| &found["check"])
            .collect();
        assert_eq!(found, [check], "{value}");
    }
    let checks: Vec<_> = defects().iter().map(|(check, _)| *check).collect();
    assert_eq!(
        json(&sound(), "doctor")["checks"],
        serde_json::json!(checks),
        "a check without a defect"
    );
}

#[test]
fn all_at_once_is_told() {
    let sim = sound();
    for (_, spoil) in defects() {
        spoil(&mut sim.world());
    }
    golden(
        &expect_file!["../golden/doctor.txt"],
        &session(
            &sim,
            &[
                "doctor",
                "doctor --fix --dry-run",
                "doctor --fix",
                "doctor md0",
            ],
        ),
    );
}

#[test]
fn nothing_is_written_or_run_without_fix() {
    let sim = sound();
    for (_, spoil) in defects() {
        spoil(&mut sim.world());
    }
    sim.world().written.clear();
    for line in ["doctor", "doctor --json", "doctor --fix --dry-run"] {
        assert_eq!(paradm(&sim, line).code, 1, "{line}");
    }
    assert!(sim.world().written.is_empty());
    assert!(sim.world().ran.is_empty());
}

#[test]
fn fix_mends_what_sysfs_can_and_then_finds_nothing() {
    let sim = sound();
    for (check, spoil) in defects() {
        if ["iostats", "polling", "udisks", "rules"].contains(&check) {
            spoil(&mut sim.world());
        }
    }
    assert_eq!(paradm(&sim, "doctor").code, 1);
    assert_eq!(paradm(&sim, "doctor --fix").code, 0);
    assert_eq!(
        sim.text("/sys/block/sdb/queue/iostats".as_ref()).unwrap(),
        "1"
    );
    let written = sim.world().written.len();
    assert_eq!(written, 2);
    let rules = "/etc/udev/rules.d";
    assert_eq!(
        sim.text(format!("{rules}/65-md-par.rules").as_ref())
            .unwrap(),
        include_str!("../../../../extras/udev/65-md-par.rules")
    );
    let own = sim.text(format!("{rules}/66-paradm-udisks.rules").as_ref());
    assert!(own.unwrap().contains("ENV{ID_SERIAL}==\"DISK-E\""));
    assert_eq!(
        paradm(&sim, "doctor --fix").out,
        "md0: 26 checks, nothing found\n"
    );
    assert_eq!(sim.world().written.len(), written);
}

#[test]
fn the_system_is_looked_at_once_and_each_array_s_disks_are_in_the_rules() {
    let sim = sound();
    let mut world = sim.world();
    world.add(SimArray::of_level("md1", 5, &[3, 4], 'p').in_gear(3));
    world
        .tree
        .remove("/etc/udev/rules.d/65-md-par.rules".as_ref());
    for (disk, minor) in [("sde", 64), ("sds", 288)] {
        let device = format!("/sys/devices/pci0000:00/block/{disk}");
        world
            .tree
            .file(format!("{device}/dev"), &format!("8:{minor}\n"));
        world.tree.link(format!("/sys/class/block/{disk}"), device);
        let known = format!("E:ID_ATA=1\nE:ID_SERIAL=DISK-{disk}\n");
        world
            .tree
            .file(format!("/run/udev/data/b8:{minor}"), &known);
    }
    drop(world);
    let value = json(&sim, "doctor");
    let checks: Vec<_> = value["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| (&found["check"], &found["array"]))
        .collect();
    let (one, other, null) = ("md0".into(), "md1".into(), serde_json::Value::Null);
    assert_eq!(
        checks,
        [
            (&"udisks".into(), &one),
            (&"udisks".into(), &other),
            (&"rules".into(), &null)
        ]
    );
    assert_eq!(paradm(&sim, "doctor --fix").code, 0);
    let text = sim
        .text("/etc/udev/rules.d/66-paradm-udisks.rules".as_ref())
        .unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert_eq!(
        paradm(&sim, "doctor").out,
        "md0, md1: 26 checks, nothing found\n"
    );
}

#[test]
fn a_disk_without_a_serial_has_no_rule_made_for_it() {
    let sim = sound();
    let disk = "/sys/devices/pci0000:00/block/sde/dev";
    sim.world().tree.file(disk, "8:64\n");
    for serial in ["", "E:ID_SERIAL=a\"b\n"] {
        let known = format!("E:ID_ATA=1\n{serial}");
        sim.world().tree.file("/run/udev/data/b8:64", &known);
        let found = json(&sim, "doctor")["findings"][0].clone();
        assert_eq!(
            (&found["check"], &found["fix"]),
            (&"udisks".into(), &serde_json::Value::Null)
        );
    }
}

#[test]
fn without_the_hook_the_initramfs_has_no_module() {
    let sim = sound();
    sim.world()
        .tree
        .remove("/etc/initramfs-tools/hooks/raid-par".as_ref());
    let found = json(&sim, "doctor")["findings"][0].clone();
    assert_eq!(found["check"], "initramfs");
    assert!(found["what"].as_str().unwrap().contains("hook"), "{found}");
}

#[test]
fn a_fix_that_is_refused_is_an_error() {
    let sim = sound();
    sim.world().tree.file("/sys/block/md0/queue/iostats", "0\n");
    sim.world().root = false;
    let left = paradm(&sim, "doctor --fix");
    assert_eq!(left.code, 4);
    assert!(left.err.contains("root is needed"), "{}", left.err);
}

#[test]
fn a_fix_that_is_refused_keeps_no_other_from_being_done() {
    let sim = sound();
    let file = |disk: &str| format!("/sys/devices/pci0000:00/block/{disk}/queue/iostats");
    for disk in ["sdb", "sdc"] {
        sim.world().tree.file(file(disk), "0\n");
    }
    sim.world().refuse(file("sdb"));
    let left = paradm(&sim, "doctor --fix");
    assert_eq!(left.code, 6);
    assert!(left.err.contains("/sys/block/sdb/"), "{}", left.err);
    assert_eq!(sim.text(file("sdc").as_ref()).unwrap(), "1");
}

#[test]
fn what_lies_on_the_array_by_device_mapper_counts() {
    let sim = sound();
    let mut world = sim.world();
    world.tree.file("/sys/block/md0/md0p1/partition", "1\n");
    world.tree.file("/sys/block/md0/md0p1/dev", "259:0\n");
    world.tree.dir("/sys/block/md0/md0p1/holders/dm-0");
    world.tree.file("/sys/block/dm-0/dev", "254:0\n");
    mounts(&mut world, "254:0 / /srv rw");
    drop(world);
    assert_eq!(json(&sim, "doctor")["findings"][0]["check"], "atime");
}

#[test]
fn a_btrfs_on_the_array_counts_by_its_source() {
    let sim = sound();
    let mut world = sim.world();
    world.tree.file(
        "/proc/self/mountinfo",
        "36 22 0:45 /home /var/log rw,noatime - btrfs /dev/md0 rw,subvol=/home\n\
         37 22 0:46 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
    );
    world.tree.file(
        "/proc/swaps",
        "Filename Type Size Used Priority\n/dev/sdz2 partition 9 0 -2\n",
    );
    drop(world);
    let found = json(&sim, "doctor")["findings"].clone();
    assert_eq!(found[0]["check"], "logs", "{found}");
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn wrong_arguments_are_refused() {
    let sim = sound();
    for (line, code) in [
        ("doctor md7", 3),
        ("doctor --dry-run", 2),
        ("doctor md0 md1", 2),
        ("doctor --fixx", 2),
    ] {
        let left = paradm(&sim, line);
        assert_eq!(left.code, code, "{line}: {}", left.err);
        assert!(!left.err.is_empty());
    }
    let none = SimSystem::new();
    none.world().tree.file("/proc/self/mountinfo", "");
    let left = paradm(&none, "doctor");
    assert_eq!(
        (left.code, left.out.as_str()),
        (0, "no par array runs here\n")
    );
}

proptest! {
    #[test]
    fn any_mountinfo_is_read(text in "[ -~\n\\\\]{0,300}") {
        let sim = sound();
        sim.world().tree.file("/proc/self/mountinfo", &text);
        let left = paradm(&sim, "doctor");
        prop_assert!(left.code <= 1, "{}", left.err);
    }
}
