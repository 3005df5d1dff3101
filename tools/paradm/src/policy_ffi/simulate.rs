// SPDX-License-Identifier: GPL-2.0
//! An array and its rivals without a kernel: simulate.c.

use super::{Geometry, raw, words};
use std::ffi::{c_char, c_uint};
use std::ptr::NonNull;

/// What is compared, in C's order.
pub const RIVALS: usize = 6;

/// Of all disks of a rival together that are counted; times in ns.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Simulated {
    /// turning, stopping, standing, starting
    pub states: [u64; 4],
    /// The arm at work.
    pub active: u64,
    pub starts: u64,
    /// Of one disk.
    pub most_starts: u64,
    pub shifts: u64,
    pub copied: u64,
    /// Requests that woke a disk, as their data had no image.
    pub misses: u64,
}

/// What has been simulated until now; times in ns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub ns: u64,
    /// Below the top gear.
    pub low_ns: u64,
    pub rivals: [Simulated; RIVALS],
}

/// What shows of par outside, until the last interval has ended.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct View {
    /// Its members.
    pub gear: u64,
    /// Of all members, in the last interval, of `LOAD_ONE`.
    pub load: u64,
    /// ns that the gear's members had a request, in all.
    pub in_flight: u64,
    /// Requests that came while it started disks because of its load.
    pub waited: u64,
}

/// What is simulated.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// As md has it.
    pub layout: u32,
    pub members: u32,
    pub chunk_bytes: u64,
    /// Of each disk that never sleeps, and of each other one.
    pub disk_bytes: (u64, u64),
    /// Of each disk, for a write log.
    pub log_bytes: u64,
    /// Percent of the array that can have images. At first none has one.
    pub image_share: u32,
    /// Disks whose energy is not counted, a bit each.
    pub solid: u32,
}

impl Ask {
    /// With images of everything and without a log.
    pub fn plain(layout: u32, members: u32, chunk_bytes: u64, disk_bytes: u64) -> Self {
        Ask {
            layout,
            members,
            chunk_bytes,
            disk_bytes: (disk_bytes, disk_bytes),
            log_bytes: 0,
            image_share: Geometry::SHARE_ALL,
            solid: 0,
        }
    }
}

#[repr(C)]
struct RawAsk {
    layout: u32,
    chunk_sectors: u32,
    steady: u64,
    sleeper: u64,
    log: u64,
    share: u32,
    few: u32,
    solid: u32,
}

#[repr(C)]
struct Handle {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    fn par_simulation_most_sectors() -> u64;
    fn par_simulation_milliwatts(watts: *mut u32);
    fn par_simulation_new(ask: *const RawAsk) -> *mut Handle;
    fn par_simulation_see(simulation: *const Handle, view: *mut View);
    fn par_simulation_limit(simulation: *mut Handle, min: u32, max: u32) -> *const c_char;
    fn par_simulation_pass(simulation: *mut Handle, now: u64);
    fn par_simulation_request(
        simulation: *mut Handle,
        now: u64,
        write: bool,
        sector: u64,
        sectors: u64,
        pieces: c_uint,
        took: *mut u64,
    );
    fn par_simulation_flush(simulation: *mut Handle, now: u64);
    fn par_simulation_tell(simulation: *mut Handle, told: *mut Simulated, at: *mut u64) -> u64;
    fn par_simulation_free(simulation: *mut Handle);
}

/// Milliwatts of the simulated disk: active, idle, standby, starting.
pub fn disk_milliwatts() -> [u32; 4] {
    let mut watts = [0; 4];
    // SAFETY: it writes four numbers.
    unsafe { par_simulation_milliwatts(watts.as_mut_ptr()) };
    watts
}

pub struct Simulation {
    handle: NonNull<Handle>,
    geometry: Geometry,
    now: u64,
}

impl Simulation {
    /// An array and its rivals, of which two are plain RAID of `few` disks. The error is the module's, or says that the
    /// model has no disks of that size.
    pub fn new(ask: &Ask, few: u32) -> Result<Self, &'static str> {
        Self::make(ask, Some(few))
    }

    /// The same without the array's rivals, of which nothing is told then.
    pub fn alone(ask: &Ask) -> Result<Self, &'static str> {
        Self::make(ask, None)
    }

    fn make(ask: &Ask, few: Option<u32>) -> Result<Self, &'static str> {
        let geometry = Geometry::with_parts(
            ask.layout,
            ask.members,
            ask.chunk_bytes,
            ask.disk_bytes,
            ask.log_bytes,
            ask.image_share,
        )?;
        if few.is_some_and(|few| !(geometry.members_in(1)..=ask.members).contains(&few)) {
            return Err(
                "plain RAID of fewer disks than the lowest gear has, or of more than all, is not compared",
            );
        }
        let (steady, sleeper) = ask.disk_bytes;
        // SAFETY: it returns a number.
        if steady.max(sleeper) / raw::SECTOR > unsafe { par_simulation_most_sectors() } {
            return Err("disks of more than 256 TiB are not simulated");
        }
        let chunk = u32::try_from(ask.chunk_bytes / raw::SECTOR);
        let raw = RawAsk {
            layout: ask.layout,
            chunk_sectors: chunk.map_err(|_| "the chunk is too large")?,
            steady: steady / raw::SECTOR,
            sleeper: sleeper / raw::SECTOR,
            log: ask.log_bytes / raw::SECTOR,
            share: ask.image_share,
            few: few.unwrap_or(0),
            solid: ask.solid,
        };
        // SAFETY: the array has just been found to be possible, and plain RAID of `few` disks too; it keeps no pointer
        // to `raw`, and returns memory that is ours.
        let handle = NonNull::new(unsafe { par_simulation_new(&raw const raw) });
        Ok(Simulation {
            handle: handle.ok_or("no memory")?,
            geometry,
            now: 0,
        })
    }

    pub fn sectors(&self) -> u64 {
        self.geometry.array_bytes() / raw::SECTOR
    }

    /// `pieces` requests that have become one; how many ns each rival takes. Time never goes back.
    pub fn request(
        &mut self,
        now: u64,
        write: bool,
        (sector, sectors): (u64, u64),
        pieces: u32,
    ) -> [u64; RIVALS] {
        let mut took = [0; RIVALS];
        // What is as large as the array, has no place in it.
        let sectors = sectors.clamp(1, self.sectors() / 2);
        self.now = self.now.max(now);
        // SAFETY: the handle is valid; it writes RIVALS numbers.
        unsafe {
            par_simulation_request(
                self.handle.as_ptr(),
                self.now,
                write,
                sector,
                sectors,
                pieces,
                took.as_mut_ptr(),
            );
        }
        took
    }

    pub fn flush(&mut self, now: u64) {
        self.now = self.now.max(now);
        // SAFETY: the handle is valid.
        unsafe { par_simulation_flush(self.handle.as_ptr(), self.now) };
    }

    /// Nothing comes until `now`.
    pub fn pass(&mut self, now: u64) {
        self.now = self.now.max(now);
        // SAFETY: the handle is valid.
        unsafe { par_simulation_pass(self.handle.as_ptr(), self.now) };
    }

    pub fn see(&self) -> View {
        let mut view = View::default();
        // SAFETY: the handle is valid; it writes the struct.
        unsafe { par_simulation_see(self.handle.as_ptr(), &raw mut view) };
        view
    }

    /// The gears that the policy chooses from, from now on: `min_gear` and `max_gear`.
    pub fn limit(&mut self, min: u32, max: u32) -> Result<(), &'static str> {
        // SAFETY: the handle is valid; it returns null or a static string.
        let error = unsafe { par_simulation_limit(self.handle.as_ptr(), min, max) };
        if error.is_null() {
            return Ok(());
        }
        // SAFETY: as above.
        Err(unsafe { words(error) })
    }

    pub fn tell(&mut self) -> Told {
        let mut told = Told {
            ns: 0,
            low_ns: 0,
            rivals: [Simulated::default(); RIVALS],
        };
        // SAFETY: the handle is valid; it writes RIVALS structs and a number.
        told.low_ns = unsafe {
            par_simulation_tell(self.handle.as_ptr(), told.rivals.as_mut_ptr(), &mut told.ns)
        };
        told
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        // SAFETY: it is ours, and not used any more.
        unsafe { par_simulation_free(self.handle.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn simulation(gears: &[u32], disk_bytes: u64) -> Result<Simulation, &'static str> {
        let word = Geometry::layout_word(5, gears).unwrap();
        let (few, members) = (gears[0], *gears.last().unwrap());
        Simulation::new(&Ask::plain(word, members, 512 << 10, disk_bytes), few)
    }

    #[test]
    fn all_disks_are_somewhere_at_any_time() {
        let mut simulation = simulation(&[3, 5], 16_000_000_000_000).unwrap();
        let day = 86_400_000_000_000;
        assert!(
            simulation
                .request(1000, false, (0, 8), 1)
                .iter()
                .all(|ns| *ns > 0)
        );
        simulation.flush(2000);
        simulation.pass(day);
        let told = simulation.tell();
        assert_eq!(told.ns, day);
        let disks = [5, 5, 5, 5, 3, 3];
        for (rival, disks) in told.rivals.iter().zip(disks) {
            assert_eq!(rival.states.iter().sum::<u64>(), disks * day);
        }
        // Nothing has come: par has shifted down, and those that may rest do.
        assert!(told.low_ns > day / 2 && told.rivals[0].shifts > 0);
        assert_eq!(told.rivals[2].states[2], 0);
        assert!(told.rivals[3].states[2] > 4 * day);
    }

    /// Of fewer disks than the lowest gear has, none may be left for data.
    #[test]
    fn plain_raid_has_no_fewer_disks_than_the_lowest_gear() {
        let word = Geometry::layout_word(6, &[4, 6]).unwrap();
        let ask = Ask::plain(word, 6, 512 << 10, 4_000_000_000_000);
        let of = |few| Simulation::new(&ask, few);
        for few in [0, 2, 3, 7] {
            assert!(of(few).is_err(), "{few}");
        }
        for (few, disks) in [(4, 4), (5, 5), (6, 6)] {
            let mut simulation = of(few).unwrap();
            simulation.request(1000, true, (0, 8), 1);
            simulation.pass(60_000_000_000);
            let told = simulation.tell();
            let spent: u64 = told.rivals[4].states.iter().sum();
            assert_eq!(spent, disks * told.ns);
        }
    }

    #[test]
    fn alone_it_is_as_beside_its_rivals_and_within_its_limits() {
        let word = Geometry::layout_word(5, &[3, 5]).unwrap();
        let bytes = 16_000_000_000_000;
        let mut alone = Simulation::alone(&Ask::plain(word, 5, 512 << 10, bytes)).unwrap();
        let mut beside = simulation(&[3, 5], bytes).unwrap();
        for n in 0..5000u64 {
            let place = (n * 7_919_333, 8);
            let took = alone.request(n * 4_000_000, n % 3 == 0, place, 1)[0];
            assert_eq!(took, beside.request(n * 4_000_000, n % 3 == 0, place, 1)[0]);
        }
        assert_eq!(alone.tell().rivals[0], beside.tell().rivals[0]);
        assert_eq!(alone.see(), beside.see());
        assert!(alone.see().load > 0 && alone.see().in_flight > 0);
        assert!(alone.limit(4, 5).is_err());
        alone.limit(3, 3).unwrap();
        alone.pass(3_600_000_000_000);
        assert_eq!(alone.see().gear, 3);
        alone.limit(5, 5).unwrap();
        alone.pass(2 * 3_600_000_000_000);
        assert_eq!((alone.see().gear, alone.see().load), (5, 0));
    }

    /// Tables that all simulations shared, and that each made anew, ended others with SIGFPE; the
    /// blocks that a log drained were those of another simulation's.
    #[test]
    fn threads_do_not_disturb_each_other() {
        let told = || {
            let word = Geometry::layout_word(5, &[2, 3]).unwrap();
            let mut ask = Ask::plain(word, 3, 512 << 10, 4_000_000_000_000);
            ask.log_bytes = 1 << 30;
            let mut simulation = Simulation::new(&ask, 2).unwrap();
            let hour = 3_600_000_000_000;
            simulation.pass(hour);
            for n in 0..2000u64 {
                simulation.request(hour + n * 5_000_000, n % 2 > 0, (n * 7_919_336, 8), 1);
            }
            simulation.pass(3 * hour);
            simulation.tell()
        };
        let alone = told();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| (0..8).map(|_| told()).collect::<Vec<_>>()))
                .collect();
            for thread in threads {
                assert!(thread.join().unwrap().iter().all(|told| *told == alone));
            }
        });
    }

    /// Segments that nothing is known of take no memory, whatever the disks' size.
    #[test]
    fn disks_are_simulated_as_long_as_the_model_has_them() {
        let gears: Vec<u32> = vec![2, 28];
        let mut most = simulation(&gears, 1 << 48).unwrap();
        let end = most.sectors() - 8;
        assert!(most.request(0, true, (end, 8), 1).iter().all(|ns| *ns > 0));
        let more = simulation(&gears, (1 << 48) + 4096);
        assert!(more.err().unwrap().contains("256 TiB"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_disks_that_make_an_array_can_be_simulated(
            bits in 20u32..48,
            part in 0u64..1 << 20,
            low in 2u32..6,
            more in 1u32..6,
            larger in 0u64..1 << 40,
            log in 0u64..1 << 34,
            image_share in 1u32..=100,
            places in prop::collection::vec((any::<u64>(), 1u64..100_000, any::<bool>()), 1..20),
        ) {
            let bytes = (1u64 << bits) + (part << bits.saturating_sub(20));
            let word = Geometry::layout_word(5, &[low, low + more]).unwrap();
            let sizes = (bytes + larger, bytes);
            let plain = Ask::plain(word, low + more, 512 << 10, bytes);
            let ask = Ask { disk_bytes: sizes, log_bytes: log >> 19 << 19, image_share, ..plain };
            if let Ok(mut simulation) = Simulation::new(&ask, low + more) {
                let all = simulation.sectors();
                for (at, (place, sectors, write)) in (0..).zip(places) {
                    let took = simulation.request(at << 33, write, (place % all, sectors), 1);
                    prop_assert!(took.iter().all(|ns| *ns > 0));
                }
                prop_assert!(simulation.tell().ns > 0 || all > 0);
            }
        }
    }
}
