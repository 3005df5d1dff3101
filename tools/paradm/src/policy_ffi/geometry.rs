// SPDX-License-Identifier: GPL-2.0
//! Where everything lies: geometry.h, slot-place.h.

use super::{Knobs, raw, words};
use std::sync::Arc;

/// An array's layout. Cheap to clone: what refers to it in C keeps it alive.
#[derive(Debug, Clone)]
pub struct Geometry(pub(super) Arc<raw::Geometry>);

impl Geometry {
    /// From what md's superblock stores. `device_bytes`: the usable length of each member.
    pub fn new(
        layout: u32,
        members: u32,
        chunk_bytes: u64,
        device_bytes: u64,
    ) -> Result<Self, &'static str> {
        Self::with_parts(
            layout,
            members,
            chunk_bytes,
            (device_bytes, device_bytes),
            0,
            Self::SHARE_ALL,
        )
    }

    /// Images of everything, in percent.
    pub const SHARE_ALL: u32 = 100;

    /// The same, with so many bytes of each member for a write log, rounded up to chunks, or 0; and with images of so
    /// many percent of the array. `steady`, `sleeper`: the usable lengths of each member that never sleeps, and of each
    /// other one. With images of everything, the former is not used.
    pub fn with_parts(
        layout: u32,
        members: u32,
        chunk_bytes: u64,
        (steady, sleeper): (u64, u64),
        log_bytes: u64,
        share: u32,
    ) -> Result<Self, &'static str> {
        let mut geo = raw::Geometry::default();
        let ask = raw::SlotAsk {
            layout,
            disks: members,
            chunk: u32::try_from(chunk_bytes / raw::SECTOR).unwrap_or(u32::MAX),
            steady: steady / raw::SECTOR,
            sleeper: sleeper / raw::SECTOR,
            log: log_bytes / raw::SECTOR,
            share,
            ..raw::SlotAsk::default()
        };
        let mut why = 0;
        // SAFETY: it fills in `geo` and `why`, and keeps no pointer to either, or to `ask`.
        let error = unsafe { raw::par_slot_place_init(&mut geo, &ask, &mut why) };
        if error != 0 {
            // SAFETY: it returns static strings.
            return Err(unsafe { words(raw::par_slot_strerror(error, why)) });
        }
        Ok(Geometry(Arc::new(geo)))
    }

    /// md's layout word for gears of these sizes; `level`: 5, 6 or 0. `None`: it has none.
    pub fn layout_word(level: u32, gears: &[u32]) -> Option<u32> {
        let child = match level {
            5 => 0,
            6 => 1,
            0 => 2,
            _ => return None,
        };
        let mut word = child << 28;
        for gear in gears {
            let members = usize::try_from(*gear).ok()?;
            if !(1..=raw::MAX_MEMBERS).contains(&members) {
                return None;
            }
            word |= 1 << (gear - 1);
        }
        (word != raw::LAYOUT_UNSET).then_some(word)
    }

    pub fn members(&self) -> u32 {
        self.0.members
    }

    pub fn gears(&self) -> u32 {
        self.0.gears
    }

    pub fn array_bytes(&self) -> u64 {
        self.0.array_sectors * raw::SECTOR
    }

    /// raid-par's metadata on each member, with the write log.
    pub fn metadata_bytes(&self) -> u64 {
        self.0.meta_sectors * raw::SECTOR
    }

    pub fn segment_bytes(&self) -> u64 {
        u64::from(self.0.seg_sectors) * raw::SECTOR
    }

    /// How many members are awake in gear number `gear`; 0 if there is no such gear.
    pub fn members_in(&self, gear: u32) -> u32 {
        let set = usize::try_from(gear).ok().and_then(|at| self.0.set.get(at));
        if (1..=self.0.gears).contains(&gear) {
            set.map_or(0, |set| set.members)
        } else {
            0
        }
    }

    /// The number of the gear with so many members awake.
    pub fn gear_of(&self, members: u32) -> Option<u32> {
        (1..=self.gears()).find(|gear| self.members_in(*gear) == members)
    }

    /// The settings of a new array.
    pub fn default_knobs(&self) -> Knobs {
        let mut knobs = Knobs::default();
        // SAFETY: both are valid, and it keeps neither.
        unsafe { raw::par_knobs_init(&mut knobs, &*self.0) };
        knobs
    }

    /// What is wrong with settings, in the module's words.
    pub fn check_knobs(&self, knobs: &Knobs) -> Result<(), &'static str> {
        // SAFETY: both are valid, and it keeps neither; it returns null or a static string.
        unsafe {
            let error = raw::par_knobs_error(knobs, &*self.0);
            if error.is_null() {
                Ok(())
            } else {
                Err(words(error))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TB: u64 = 1_000_000_000_000;

    fn geometry(level: u32, gears: &[u32]) -> Geometry {
        let word = Geometry::layout_word(level, gears).unwrap();
        Geometry::new(word, *gears.last().unwrap(), 512 << 10, 4 * TB).unwrap()
    }

    /// The capacities and M of Documentation/admin-guide.md.
    #[test]
    fn capacities_are_those_of_the_guide() {
        let cases: [(u32, &[u32], u64, u64); 4] = [
            (5, &[3, 5], 8, 39 * 1024 + 512),
            (5, &[3, 8], 8, 56 * 1024),
            (5, &[3, 5, 8], 8, 66 * 1024),
            (0, &[2, 5], 8, 47 * 1024),
        ];
        for (level, gears, tb, meta_kib) in cases {
            let geo = geometry(level, gears);
            assert_eq!(geo.metadata_bytes() >> 10, meta_kib, "{level}:{gears:?}");
            let less = tb * TB - geo.array_bytes();
            assert!(less < TB / 1000, "{level}:{gears:?}: {less}");
        }
    }

    /// The log is taken from each member, in whole chunks, and nothing else changes.
    #[test]
    fn a_log_costs_its_size_on_each_member() {
        let word = Geometry::layout_word(5, &[3, 5]).unwrap();
        let of = |log| Geometry::with_parts(word, 5, 512 << 10, (4 * TB, 4 * TB), log, 100);
        let (without, with) = (of(0).unwrap(), of((8 << 30) + 1024).unwrap());
        let log = with.metadata_bytes() - without.metadata_bytes();
        assert_eq!(log, (8 << 30) + (512 << 10));
        // Of a member's data area, 2 of the 3 members' worth of the lowest gear is capacity.
        let less = without.array_bytes() - with.array_bytes();
        assert!(less.abs_diff(2 * log) <= 16 << 20, "{less}");
        for log in [4 * TB, u64::MAX] {
            let wrong = "the members are too small for this layout and chunk";
            assert_eq!(of(log).unwrap_err(), wrong);
        }
    }

    /// The chunks of Documentation/slots.md.
    #[test]
    fn a_share_of_images_makes_room() {
        let word = Geometry::layout_word(5, &[3, 5]).unwrap();
        let sizes = (16 * TB, 16 * TB);
        let of = |share| Geometry::with_parts(word, 5, 512 << 10, sizes, 0, share);
        for (share, chunks) in [(100, 61_034_996), (25, 97_655_816), (10, 110_972_500)] {
            assert_eq!(of(share).unwrap().array_bytes(), chunks * (512 << 10));
        }
        for share in [0, 101] {
            let wrong = "the share of images must be from 1 to 100 percent";
            assert_eq!(of(share).unwrap_err(), wrong);
        }
    }

    #[test]
    fn gears_by_members() {
        let geo = geometry(5, &[3, 5, 8]);
        assert_eq!(geo.gear_of(5), Some(2));
        assert_eq!(geo.gear_of(4), None);
        assert_eq!(geo.members_in(3), 8);
        assert_eq!(geo.members_in(4), 0);
    }

    #[test]
    fn what_cannot_be_is_said() {
        assert_eq!(
            Geometry::new(0x14, 5, 1 << 10, TB).unwrap_err(),
            "the chunk must be a power of two, from 64K to 16M"
        );
        let all: Vec<u32> = (2..=16).collect();
        assert_eq!(Geometry::layout_word(5, &all), None);
        let geo = geometry(5, &[3, 5]);
        let knobs = Knobs {
            down: 80,
            ..geo.default_knobs()
        };
        assert!(geo.check_knobs(&knobs).is_err());
        assert_eq!(geo.check_knobs(&geo.default_knobs()), Ok(()));
    }
}
