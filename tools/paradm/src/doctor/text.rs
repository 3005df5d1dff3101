// SPDX-License-Identifier: GPL-2.0
//! `paradm doctor` for people.

use super::{Finding, Fix, Kind, Report, Weight};
use crate::output::{Style, Text};

impl Text for Report {
    fn text(&self, style: Style) -> String {
        if self.arrays.is_empty() {
            return "no par array runs here\n".to_owned();
        }
        let mut text = String::new();
        for finding in &self.findings {
            text += &self.finding(finding, style);
        }
        if self.findings.is_empty() {
            text += &format!(
                "{}: {} checks, nothing found\n",
                self.arrays.join(", "),
                self.checks.len()
            );
        }
        text
    }
}

impl Report {
    fn finding(&self, finding: &Finding, style: Style) -> String {
        let weight = match finding.weight {
            Weight::Problem => style.bad("problem"),
            Weight::Remark => style.attention("remark"),
        };
        let place = finding.array.as_deref().unwrap_or("system");
        let mut text = format!(
            "{} {weight} ({}): {}\n    {}\n",
            style.bold(place),
            finding.check,
            finding.what,
            finding.remedy
        );
        if let Some(fix) = &finding.fix {
            text += &self.fix(fix, style);
        }
        text
    }

    fn fix(&self, fix: &Fix, style: Style) -> String {
        let file = fix.file.display();
        let (line, lasts) = match fix.kind {
            Kind::Sysfs => (format!("{} into {file}", fix.value), "until the next boot"),
            Kind::File => (format!("a udev rule into {file}"), "from the next boot on"),
        };
        match (self.fixing, fix.done) {
            (_, true) => format!("    {}, {lasts}\n", style.good(format!("mended: {line}"))),
            (true, false) => format!("    --fix writes {line}, {lasts}\n"),
            (false, _) => format!("    --fix mends it {lasts}\n"),
        }
    }
}
