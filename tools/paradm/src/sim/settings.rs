// SPDX-License-Identifier: GPL-2.0
//! The simulated array's settings: what is taken and what is refused is the module's.

use crate::policy_ffi::{Geometry, Knobs};
use rustix::io::Errno;
use std::ops::RangeInclusive;

#[derive(Debug, Clone)]
pub struct Settings {
    pub knobs: Knobs,
    pub speed_min: u32,
    pub speed_max: u32,
    pub spin: bool,
    pub wake_timeout: u32,
    pub wake_stagger: u32,
    pub stop_after: u32,
    pub carry: u32,
    pub scrub_wakes: u32,
    pub scrub_age: u32,
}

type Stored = std::result::Result<(), Errno>;

impl Settings {
    pub fn new(geometry: &Geometry) -> Self {
        Settings {
            knobs: geometry.default_knobs(),
            speed_min: 8192,
            speed_max: 2_097_152,
            spin: true,
            wake_timeout: 60,
            wake_stagger: 0,
            stop_after: 60,
            carry: 7,
            scrub_wakes: 0,
            scrub_age: 35,
        }
    }

    pub fn show(&self, file: &str) -> Option<String> {
        let word = match file {
            "policy" if self.knobs.automatic => "auto".to_owned(),
            "policy" => "manual".to_owned(),
            "spin" if self.spin => "on".to_owned(),
            "spin" => "off".to_owned(),
            _ => self.number(file)?.to_string(),
        };
        Some(word)
    }

    fn number(&self, file: &str) -> Option<u32> {
        let [short, long] = self.knobs.window;
        Some(match file {
            "interval" => self.knobs.interval,
            "window_short" => short,
            "window_long" => long,
            "up_threshold" => self.knobs.up,
            "down_threshold" => self.knobs.down,
            "up_wait" => self.knobs.wait,
            "hold" => self.knobs.hold,
            "break_even" => self.knobs.break_even,
            "min_gear" => self.knobs.min_gear,
            "max_gear" => self.knobs.max_gear,
            "speed_min" => self.speed_min,
            "speed_max" => self.speed_max,
            "wake_timeout" => self.wake_timeout,
            "wake_stagger" => self.wake_stagger,
            "stop_after" => self.stop_after,
            "carry" => self.carry,
            "scrub_wakes" => self.scrub_wakes,
            "scrub_age" => self.scrub_age,
            _ => return None,
        })
    }

    /// `None`: there is no such setting.
    pub fn store(&mut self, file: &str, text: &str, geometry: &Geometry) -> Option<Stored> {
        self.show(file)?;
        Some(self.set(file, text, geometry))
    }

    fn set(&mut self, file: &str, text: &str, geometry: &Geometry) -> Stored {
        match file {
            "policy" => {
                return self.set_knob(geometry, |knobs| {
                    knobs.automatic = one_of(text, "manual", "auto")?;
                    Ok(())
                });
            }
            "spin" => {
                self.spin = one_of(text, "off", "on")?;
                return Ok(());
            }
            _ => {}
        }
        let number: u32 = text.parse().map_err(|_| Errno::INVAL)?;
        match file {
            "speed_min" => within(&mut self.speed_min, number, 1..=self.speed_max),
            "speed_max" => within(&mut self.speed_max, number, self.speed_min..=u32::MAX),
            "wake_timeout" => within(&mut self.wake_timeout, number, 1..=3600),
            "wake_stagger" => within(&mut self.wake_stagger, number, 0..=60_000),
            "stop_after" => within(&mut self.stop_after, number, 0..=86_400),
            "carry" => within(&mut self.carry, number, 0..=3650),
            "scrub_wakes" => within(&mut self.scrub_wakes, number, 0..=1),
            "scrub_age" => within(&mut self.scrub_age, number, 0..=3650),
            _ => self.set_knob(geometry, |knobs| set_number(knobs, file, number)),
        }
    }

    fn set_knob(
        &mut self,
        geometry: &Geometry,
        change: impl FnOnce(&mut Knobs) -> Stored,
    ) -> Stored {
        let mut knobs = self.knobs;
        change(&mut knobs)?;
        geometry.check_knobs(&knobs).map_err(|_| Errno::INVAL)?;
        self.knobs = knobs;
        Ok(())
    }
}

fn set_number(knobs: &mut Knobs, file: &str, number: u32) -> Stored {
    let [short, long] = &mut knobs.window;
    let place = match file {
        "interval" => &mut knobs.interval,
        "window_short" => short,
        "window_long" => long,
        "up_threshold" => &mut knobs.up,
        "down_threshold" => &mut knobs.down,
        "up_wait" => &mut knobs.wait,
        "hold" => &mut knobs.hold,
        "break_even" => &mut knobs.break_even,
        "min_gear" => &mut knobs.min_gear,
        "max_gear" => &mut knobs.max_gear,
        _ => return Err(Errno::INVAL),
    };
    *place = number;
    Ok(())
}

fn within(place: &mut u32, number: u32, range: RangeInclusive<u32>) -> Stored {
    if !range.contains(&number) {
        return Err(Errno::INVAL);
    }
    *place = number;
    Ok(())
}

fn one_of(text: &str, off: &str, on: &str) -> std::result::Result<bool, Errno> {
    match text {
        _ if text == off => Ok(false),
        _ if text == on => Ok(true),
        _ => Err(Errno::INVAL),
    }
}
