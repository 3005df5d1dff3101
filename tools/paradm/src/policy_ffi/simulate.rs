// SPDX-License-Identifier: GPL-2.0
//! An array and its rivals without a kernel: simulate.c and, for loads, load_kinds.c.

use super::{Geometry, raw, words};
use std::ffi::{CStr, CString, c_char, c_uint, c_void};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// What is compared, in C's order.
pub const RIVALS: usize = 6;

/// Of all disks of a rival together; times in ns.
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
}

/// What has been simulated until now; times in ns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub ns: u64,
    /// Below the top gear.
    pub low_ns: u64,
    pub rivals: [Simulated; RIVALS],
}

#[repr(C)]
struct Handle {
    _opaque: [u8; 0],
}

unsafe extern "C" {
    fn par_simulation_disk_sectors() -> u64;
    fn par_simulation_milliwatts(watts: *mut u32);
    fn par_simulation_new(layout: u32) -> *mut Handle;
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
    fn par_loads_kind(i: c_uint, what: *mut *const c_char) -> *const c_char;
    fn par_loads_make(
        kind: *const c_char,
        days: c_uint,
        bytes: u64,
        line: extern "C" fn(*mut c_void, *const c_char),
        to: *mut c_void,
    );
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
    /// An array with that layout, on disks of the model's size. The error is the module's.
    pub fn new(layout: u32, members: u32) -> Result<Self, &'static str> {
        // SAFETY: it returns a number.
        let bytes = unsafe { par_simulation_disk_sectors() } * raw::SECTOR;
        let geometry = Geometry::new(layout, members, 512 << 10, bytes)?;
        // SAFETY: the layout has just been found to be possible; it returns memory that is ours.
        let handle = NonNull::new(unsafe { par_simulation_new(layout) });
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

/// Kinds of loads: their names, and what they are.
pub fn load_kinds() -> Vec<(&'static str, &'static str)> {
    let kind = |i| {
        let mut what = std::ptr::null();
        // SAFETY: it returns null or static strings.
        unsafe {
            let name = par_loads_kind(i, &mut what);
            (!name.is_null()).then(|| (words(name), words(what)))
        }
    };
    (0..).map_while(kind).collect()
}

/// Lines `NS OP SECTOR BYTES` of days of a load; `None`: there is no such kind. `bytes`: where its
/// files lie, at least 5 TB.
pub fn load_lines(kind: &str, days: u32, bytes: u64) -> Option<String> {
    extern "C" fn collect(to: *mut c_void, line: *const c_char) {
        // SAFETY: `to` is the string below, and the line ends in a zero.
        let (text, line) = unsafe { (&mut *to.cast::<String>(), CStr::from_ptr(line)) };
        *text += &line.to_string_lossy();
    }
    load_kinds().iter().find(|(name, _)| *name == kind)?;
    let kind = CString::new(kind).ok()?;
    let mut text = String::new();
    // loads.c keeps what it makes in its own variables.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the kind exists; the string outlives the call.
    unsafe {
        par_loads_make(
            kind.as_ptr(),
            days,
            bytes.max(5_000_000_000_000),
            collect,
            (&raw mut text).cast(),
        );
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_disks_are_somewhere_at_any_time() {
        let mut simulation =
            Simulation::new(Geometry::layout_word(5, &[3, 5]).unwrap(), 5).unwrap();
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

    /// Tables that all simulations shared, and that each made anew, ended others with SIGFPE.
    #[test]
    fn threads_do_not_disturb_each_other() {
        let told = || {
            let word = Geometry::layout_word(5, &[2, 3]).unwrap();
            let mut simulation = Simulation::new(word, 3).unwrap();
            for n in 0..2000u64 {
                simulation.request(n * 5_000_000, false, (n * 7_919_333, 8), 1);
            }
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

    #[test]
    fn loads_are_those_of_the_tests() {
        assert!(load_kinds().contains(&(
            "bursts",
            "a thousand reads within half a second, every 5 minutes"
        )));
        let lines = load_lines("bursts", 1, 0).unwrap();
        // A burst has one more or less by rounding.
        assert!((287_700..288_300).contains(&lines.lines().count()));
        assert_eq!(load_lines("none", 1, 0), None);
    }
}
