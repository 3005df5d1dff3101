// SPDX-License-Identifier: GPL-2.0
//! What a device holds, and who uses it: as lsblk, blkid and mdadm tell it.

use crate::disk::Disk;
use crate::error::{Error, Result};
use crate::system::{Files, Program, Ran, System};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// A device of `lsblk --json`, with all that lies on it.
#[derive(Debug, Default, Deserialize)]
struct Block {
    name: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    serial: Option<String>,
    fstype: Option<String>,
    label: Option<String>,
    #[serde(default)]
    mountpoints: Vec<Option<String>>,
    #[serde(default)]
    children: Vec<Block>,
}

#[derive(Deserialize)]
struct Blocks {
    blockdevices: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Contents {
    pub serial: Option<String>,
    /// What is there, in words: file systems, partition tables.
    pub holds: Vec<String>,
    /// Why it must be left alone.
    #[serde(skip)]
    pub in_use: Option<String>,
    #[serde(skip)]
    raid_member: bool,
}

/// Run a program that is needed.
pub(super) fn run(system: &dyn System, program: &Program, remedy: &str) -> Result<Ran> {
    system.run(program).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::NoProgram {
            program: program.name.clone(),
            remedy: remedy.to_owned(),
        },
        io::ErrorKind::PermissionDenied => Error::Denied {
            what: format!("running {}", program.name),
        },
        _ => Error::Refused {
            what: format!("running {}", program.name),
            reason: error.to_string(),
        },
    })
}

const UTIL_LINUX: &str = "install util-linux";

impl Contents {
    /// blkid reads the device: it starts, if it sleeps.
    pub fn read(system: &dyn System, disk: &Disk) -> Result<Self> {
        let columns = "NAME,TYPE,SERIAL,FSTYPE,LABEL,MOUNTPOINTS";
        let device = disk.path.as_os_str();
        let args = ["--json", "--output", columns].map(Into::into);
        let lsblk = Program::new("lsblk", args.into_iter().chain([device.to_owned()]));
        let ran = run(system, &lsblk, UTIL_LINUX)?;
        let block = parse(&ran.stdout).ok_or_else(|| unclear("lsblk", disk, &ran))?;
        let args = ["--probe", "--output", "export"].map(Into::into);
        let blkid = Program::new("blkid", args.into_iter().chain([device.to_owned()]));
        let ran = run(system, &blkid, UTIL_LINUX)?;
        let probed = match ran.status {
            0 => Probed::parse(&ran.stdout),
            // Nothing is there …
            2 if ran.stderr.is_empty() => Probed::default(),
            // … or more than one thing.
            8 => {
                return Err(Error::Refused {
                    what: disk.path.display().to_string(),
                    reason: "it holds signatures of several kinds, perhaps an array's; `wipefs` shows them, and \
                             clears them if they may be lost"
                        .to_owned(),
                });
            }
            _ => return Err(unclear("blkid", disk, &ran)),
        };
        Ok(Self::of(&block, &probed, holders(system, &disk.name)))
    }

    fn of(block: &Block, probed: &Probed, holders: Vec<String>) -> Self {
        let raid = |kind: &str| kind == "linux_raid_member";
        Contents {
            serial: block.serial.clone(),
            holds: probed
                .words()
                .into_iter()
                .chain(
                    block
                        .children
                        .iter()
                        .filter(|part| part.is_partition())
                        .map(Block::words),
                )
                .collect(),
            in_use: block.in_use().or_else(|| {
                let holder = holders.first()?;
                Some(format!(
                    "it is part of {holder}, which is running; stop that first"
                ))
            }),
            raid_member: [&probed.kind, &block.fstype]
                .into_iter()
                .flatten()
                .any(|kind| raid(kind)),
        }
    }

    /// Why the device must not be taken, whatever the options are.
    pub fn forbids(&self, system: &dyn System, disk: &Disk) -> Result<Option<String>> {
        if self.in_use.is_some() || !self.raid_member {
            return Ok(self.in_use.clone());
        }
        let args = [
            "--examine".into(),
            "--export".into(),
            disk.path.clone().into_os_string(),
        ];
        let ran = run(system, &Program::new("mdadm", args), super::MDADM)?;
        let value = |name: &str| {
            let mut lines = ran.stdout.lines();
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
        };
        let uuid = value("MD_UUID").unwrap_or("of an unknown UUID");
        Ok(Some(match value("MD_LEVEL") {
            Some("par") => format!(
                "it is a member of the par array {uuid}: `mdadm --assemble --scan` starts that. Never create anew \
                 what is to be saved; see \"Creating\" in admin-guide.md"
            ),
            level => format!(
                "it is a member of the {} array {uuid}; if that is to be given up, stop it and use `mdadm \
                 --zero-superblock` on its members",
                level.unwrap_or("md")
            ),
        }))
    }
}

fn unclear(program: &str, disk: &Disk, ran: &Ran) -> Error {
    let said = ran
        .stderr
        .lines()
        .next()
        .unwrap_or("what it printed is not understood");
    Error::Refused {
        what: format!("{program} {}", disk.path.display()),
        reason: format!("status {}: {said}", ran.status),
    }
}

fn holders(system: &dyn System, name: &str) -> Vec<String> {
    let dir = Path::new("/sys/class/block").join(name).join("holders");
    system.names(&dir).unwrap_or_default()
}

fn parse(text: &str) -> Option<Block> {
    let blocks: Blocks = serde_json::from_str(text).ok()?;
    blocks.blockdevices.into_iter().next()
}

impl Block {
    fn is_partition(&self) -> bool {
        self.kind.as_deref() == Some("part")
    }

    fn words(&self) -> String {
        let kind = self.fstype.as_deref().unwrap_or("unknown contents");
        match self.label.as_deref().filter(|label| !label.is_empty()) {
            Some(label) => format!("partition {} ({kind}, {label})", self.name),
            None => format!("partition {} ({kind})", self.name),
        }
    }

    /// By itself, or by what lies on it.
    fn in_use(&self) -> Option<String> {
        let name = &self.name;
        if let Some(place) = self.mountpoints.iter().flatten().next() {
            return Some(match place.as_str() {
                "[SWAP]" => format!("{name} is swap that is in use; use swapoff first"),
                place => format!("{name} is mounted on {place}; unmount it first"),
            });
        }
        self.children.iter().find_map(|child| {
            let below = child.in_use();
            if child.is_partition() {
                let raid = child.fstype.as_deref() == Some("linux_raid_member");
                return below.or_else(|| {
                    raid.then(|| format!("its partition {} is a member of an md array", child.name))
                });
            }
            below.or_else(|| {
                Some(format!(
                    "{name} is part of {}, which is running; stop that first",
                    child.name
                ))
            })
        })
    }
}

/// Of `blkid --probe --output export`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Probed {
    kind: Option<String>,
    label: Option<String>,
    table: Option<String>,
}

impl Probed {
    fn parse(text: &str) -> Self {
        let value = |name: &str| {
            let value = text
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            value.filter(|value| !value.is_empty()).map(str::to_owned)
        };
        Probed {
            kind: value("TYPE"),
            label: value("LABEL"),
            table: value("PTTYPE"),
        }
    }

    fn words(&self) -> Vec<String> {
        let kind = self.kind.as_ref().map(|kind| match &self.label {
            Some(label) => format!("{kind} ({label})"),
            None => kind.clone(),
        });
        let table = self
            .table
            .as_ref()
            .map(|table| format!("a partition table ({table})"));
        kind.into_iter().chain(table).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(json: &str) -> Contents {
        let block = parse(&format!(r#"{{"blockdevices": [{json}]}}"#)).unwrap();
        Contents::of(&block, &Probed::default(), Vec::new())
    }

    #[test]
    fn what_lies_on_it_is_in_use_too() {
        let crypt = r#"{"name": "sda", "type": "disk", "mountpoints": [null], "children": [
            {"name": "sda1", "type": "part", "fstype": "crypto_LUKS", "mountpoints": [null], "children": [
                {"name": "home", "type": "crypt", "mountpoints": ["/home"]}]}]}"#;
        let contents = of(crypt);
        assert_eq!(
            contents.in_use.unwrap(),
            "home is mounted on /home; unmount it first"
        );
        assert_eq!(contents.holds, ["partition sda1 (crypto_LUKS)"]);
    }

    #[test]
    fn an_old_lsblk_that_tells_less_is_understood() {
        assert_eq!(of(r#"{"name": "sda"}"#).in_use, None);
    }

    proptest! {
        #[test]
        fn any_output_is_read_or_not(text in "(.|\n)*") {
            let _ = parse(&text);
            let _ = Probed::parse(&text).words();
        }
    }
}
