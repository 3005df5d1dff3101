// SPDX-License-Identifier: GPL-2.0
//! A creation, for people.

use super::{Creation, Outcome, Role};
use crate::output::{Align, Style, Table, Text, units};
use crate::policy_ffi::Geometry;

impl Text for Creation {
    fn text(&self, style: Style) -> String {
        let array = style.bold(self.array.display());
        let (level, gears, bytes) = (self.level, &self.gears, units::bytes(self.bytes));
        let mut parts = self.log_size.map_or(String::new(), |size| {
            let size = units::bytes(size.bytes());
            format!(", with a write log of {size} on each member that never sleeps")
        });
        if self.image_share != Geometry::SHARE_ALL {
            parts += &format!(", with images of {} %", self.image_share);
        }
        if self.outcome == Outcome::Created {
            let mut text = format!("{array} is created: {level}:{gears}, about {bytes}{parts}\n");
            text += "next, for a file system that is there after a boot, and disks that sleep (the last line: none does before):\n";
            for command in &self.next {
                text += &format!("  {command}\n");
            }
            return text;
        }
        let mut table = Table::new([
            ("device", Align::Left),
            ("size", Align::Right),
            ("model", Align::Left),
            ("serial", Align::Left),
            ("role", Align::Left),
            ("holds", Align::Left),
        ]);
        let known = |word: &Option<String>| word.clone().unwrap_or_else(|| "-".to_owned());
        for member in &self.members {
            let role = match member.role {
                Role::Awake => "never sleeps",
                Role::Sleeper => "sleeper",
                Role::Spare => "spare",
            };
            let holds = match member.contents.holds.as_slice() {
                [] => "nothing known".to_owned(),
                holds => style.bad(format!("{}, LOST", holds.join(", "))),
            };
            table.row([
                member.disk.path.display().to_string(),
                units::bytes(member.disk.bytes),
                known(&member.disk.model),
                known(&member.contents.serial),
                role.to_owned(),
                holds,
            ]);
        }
        let mut text = format!("{array} will be {level}:{gears}, about {bytes}{parts}\n");
        text += &table.render("  ", style);
        for warning in &self.warnings {
            text += &format!("{}: {warning}\n", style.attention("warning"));
        }
        text + &format!("  {}\n", self.command)
    }
}
