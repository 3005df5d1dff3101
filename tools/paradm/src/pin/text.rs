// SPDX-License-Identifier: GPL-2.0
//! Pins for people.

use super::{Ended, EndedPins, Limits, Pinned, Pins};
use crate::output::{Style, Text, printable};

impl Text for Pinned {
    fn text(&self, style: Style) -> String {
        let pin = &self.pin;
        let gears = gears(Limits {
            min_gear: pin.gear_min,
            max_gear: pin.gear_max,
        });
        let until = match &self.clock {
            Some(clock) => format!("until {clock}"),
            None => "until it is ended".to_owned(),
        };
        let held = if self.holds {
            ""
        } else {
            ", but the array does not run, or has other limits"
        };
        format!(
            "{}: pinned to {gears} {until}{held}\n",
            style.bold(printable(&pin.array))
        )
    }
}

impl Text for Pins {
    fn text(&self, style: Style) -> String {
        if self.pins.is_empty() {
            return "no array is pinned\n".to_owned();
        }
        self.pins.iter().map(|pin| pin.text(style)).collect()
    }
}

impl Text for Ended {
    fn text(&self, style: Style) -> String {
        let name = style.bold(printable(&self.array));
        match self.limits {
            None => format!(
                "{name}: the pin is forgotten; min_gear and max_gear stay as stored with the array\n"
            ),
            Some(limits) if self.changed_since => format!(
                "{name}: the pin has ended; the policy stays between {}, as somebody has set since\n",
                between(limits)
            ),
            Some(limits) => format!(
                "{name}: the pin has ended; the policy stays between {}, as before\n",
                between(limits)
            ),
        }
    }
}

impl Text for EndedPins {
    fn text(&self, style: Style) -> String {
        if self.ended.is_empty() {
            return "no pin is over\n".to_owned();
        }
        self.ended.iter().map(|ended| ended.text(style)).collect()
    }
}

fn gears(limits: Limits) -> String {
    if limits.min_gear == limits.max_gear {
        format!("gear {}", limits.min_gear)
    } else {
        format!("gears {} to {}", limits.min_gear, limits.max_gear)
    }
}

fn between(limits: Limits) -> String {
    format!("gears {} and {}", limits.min_gear, limits.max_gear)
}
