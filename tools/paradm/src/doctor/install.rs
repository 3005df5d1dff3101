// SPDX-License-Identifier: GPL-2.0
//! Checks of what has to be installed beside the module: rules, mdadm, the initramfs.

use super::udev::DIRS;
use super::{Finding, Fix, Kind, Weight};
use crate::system::System;
use std::path::{Path, PathBuf};

/// As `make install-extras` installs it.
const RULES: &str = include_str!("../../../../extras/udev/65-md-par.rules");
const RULES_NAME: &str = "65-md-par.rules";

/// Where a shell of root's finds programs.
const MDADM: [&str; 4] = [
    "/usr/local/sbin/mdadm",
    "/usr/local/bin/mdadm",
    "/usr/sbin/mdadm",
    "/sbin/mdadm",
];
/// A message of the patches'.
const PATCHED: &[u8] = b"level par does not support";

fn finding(check: &'static str, weight: Weight, what: String, remedy: &str) -> Finding {
    Finding {
        check,
        weight,
        array: None,
        what,
        remedy: remedy.to_owned(),
        fix: None,
    }
}

pub fn rules(system: &dyn System, findings: &mut Vec<Finding>) {
    let installed = DIRS
        .iter()
        .any(|dir| system.exists(&Path::new(dir).join(RULES_NAME)));
    if installed {
        return;
    }
    let mut found = finding(
        "rules",
        Weight::Problem,
        "raid-par's udev rules are not installed: udisks and the kernel poll members, and disks that are \
         slow to wake time out after 30 s"
            .to_owned(),
        "`make install-extras`, then `udevadm control --reload` and a reboot",
    );
    found.fix = Some(Fix {
        kind: Kind::File,
        file: Path::new("/etc/udev/rules.d").join(RULES_NAME),
        value: RULES.to_owned(),
        done: false,
    });
    findings.push(found);
}

/// Each mdadm once: /sbin is a link to /usr/sbin on most systems.
fn mdadms(system: &dyn System) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in MDADM {
        let Ok(path) = system.resolve(Path::new(path)) else {
            continue;
        };
        if !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

fn is_patched(system: &dyn System, path: &Path) -> bool {
    let bytes = system.read_bytes(path).unwrap_or_default();
    bytes.windows(PATCHED.len()).any(|window| window == PATCHED)
}

pub fn mdadm(system: &dyn System, findings: &mut Vec<Finding>) {
    for path in mdadms(system) {
        if !is_patched(system, &path) {
            findings.push(finding(
                "mdadm",
                Weight::Problem,
                format!(
                    "{} lacks the patches for level par: it does not start par arrays, and refuses --fail",
                    path.display()
                ),
                "put the patched mdadm in its place: \"Installing\" in admin-tasks.md, step 2",
            ));
        }
    }
}

fn release(system: &dyn System) -> Option<String> {
    let text = system.read(Path::new("/proc/sys/kernel/osrelease")).ok()?;
    Some(text.trim().to_owned())
}

/// The initramfs of this kernel has to have been made after mdadm and the hook came.
pub fn initramfs(system: &dyn System, findings: &mut Vec<Finding>) {
    let Some(release) = release(system) else {
        return;
    };
    let image = PathBuf::from(format!("/boot/initrd.img-{release}"));
    let Ok(made) = system.modified(&image) else {
        return;
    };
    let hook = Path::new("/etc/initramfs-tools/hooks/raid-par");
    if !system.exists(hook) {
        findings.push(finding(
            "initramfs",
            Weight::Problem,
            "the initramfs hook is not installed: the initramfs has mdadm without the module, so par arrays do not start at boot"
                .to_owned(),
            "`make install-extras`, then `update-initramfs -u`",
        ));
        return;
    }
    let newer = mdadms(system)
        .into_iter()
        .chain([hook.to_owned()])
        .find(|path| system.modified(path).is_ok_and(|changed| changed > made));
    if let Some(newer) = newer {
        findings.push(finding(
            "initramfs",
            Weight::Problem,
            format!(
                "{} is older than {}: the mdadm in it may lack the patches",
                image.display(),
                newer.display()
            ),
            "`update-initramfs -u`",
        ));
    }
}

/// After an upgrade the old module goes on until it is loaded anew.
pub fn versions(system: &dyn System, findings: &mut Vec<Finding>) {
    let Ok(text) = system.read(Path::new("/sys/module/raid_par/version")) else {
        return;
    };
    let (loaded, own) = (text.trim(), env!("PARADM_VERSION"));
    if loaded != own {
        findings.push(finding(
            "versions",
            Weight::Remark,
            format!("the module that runs is raid-par {loaded}, and this paradm is {own}"),
            "reboot if both have been upgraded; else install the same version of both",
        ));
    }
}

/// A kernel that is installed, and may be booted next, has to have the module.
pub fn kernels(system: &dyn System, findings: &mut Vec<Finding>) {
    let dir = Path::new("/lib/modules");
    for release in system.list(dir).unwrap_or_default() {
        let Ok(modules) = system.read(&dir.join(&release).join("modules.dep")) else {
            continue;
        };
        let is_module = |line: &str| {
            let file = line.split(':').next().unwrap_or_default();
            let name = file.rsplit('/').next().unwrap_or_default();
            name.split('.').next() == Some("raid-par")
        };
        if !modules.lines().any(is_module) {
            findings.push(finding(
                "kernels",
                Weight::Problem,
                format!("the kernel {release} has no module raid-par, so par arrays do not start under it"),
                "build and install the module for it (\"Upgrading the kernel\" in admin-tasks.md), or remove that kernel",
            ));
        }
    }
}
