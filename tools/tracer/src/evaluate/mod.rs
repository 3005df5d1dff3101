// SPDX-License-Identifier: GPL-2.0
//! Tests of a plan: traces × loads × speeds × arrays, each with what was measured in a row of a database.
//!
//! A row is stored with its samples when its test is over, in one transaction. So a program that was killed goes on with
//! the test that it had begun.

mod device;
mod outside;
pub mod plan;
pub mod store;

pub use plan::Plan;

use crate::error::{Error, Result};
use plan::{Array, Test};
use std::collections::VecDeque;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Row, Store};

/// How it went.
#[derive(Debug, Default)]
pub struct Done {
    /// Tests that were in the database already.
    pub known: usize,
    pub run: usize,
    /// Of those: without a row, or with requests or readings that failed.
    pub failed: usize,
    /// That are left, because of a signal.
    pub left: usize,
}

struct Queue<'a> {
    plan: &'a Plan,
    store: &'a Mutex<Store>,
    stop: &'a Arc<AtomicBool>,
    /// A line for each test that is over.
    say: fn(&str),
    all: usize,
    done: &'a Mutex<Done>,
}

/// Run the tests that `results` has no row of. Those on devices come one after the other; then those on arrays that a
/// command makes, as many at a time as the plan says. An error ends it: what is stored stays.
pub fn run(plan: &Plan, results: &Path, stop: &Arc<AtomicBool>, say: fn(&str)) -> Result<Done> {
    let tests = plan.tests()?;
    let store = Mutex::new(Store::open(results)?);
    let mut waiting = Vec::new();
    for test in tests {
        if !locked(&store).has(&test)? {
            waiting.push(test);
        }
    }
    let known = plan.tests()?.len() - waiting.len();
    let done = Mutex::new(Done {
        known,
        ..Done::default()
    });
    let queue = Queue {
        plan,
        store: &store,
        stop,
        say,
        all: waiting.len(),
        done: &done,
    };
    let is_outside = |test: &Test| matches!(test.array, Array::Command { .. });
    let (outside, devices): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_outside);
    queue.drain(&Mutex::new(devices.into()))?;
    queue.side_by_side(outside)?;
    Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Queue<'_> {
    fn side_by_side(&self, tests: Vec<Test>) -> Result<()> {
        let most = std::thread::available_parallelism().map_or(1, NonZero::get);
        let count = self.plan.jobs.unwrap_or(most).min(tests.len());
        let tests = Mutex::new(VecDeque::from(tests));
        std::thread::scope(|scope| {
            let drain = || self.drain(&tests);
            let threads: Vec<_> = (0..count).map(|_| scope.spawn(drain)).collect();
            let mut result = Ok(());
            for thread in threads {
                let ended = thread
                    .join()
                    .unwrap_or_else(|_| Err(Error::Refused("a test ended in a panic".to_owned())));
                result = result.and(ended);
            }
            result
        })
    }

    fn drain(&self, tests: &Mutex<VecDeque<Test>>) -> Result<()> {
        loop {
            let Some(test) = locked(tests).pop_front() else {
                return Ok(());
            };
            if self.stop.load(Ordering::Relaxed) {
                locked(self.done).left += 1;
                continue;
            }
            if let Err(error) = self.one(&test) {
                locked(tests).clear();
                return Err(error);
            }
        }
    }

    fn one(&self, test: &Test) -> Result<()> {
        let ended = match &test.array {
            Array::Device {
                device,
                meters,
                counters,
            } => device::run(self.plan, test, device, meters, counters, self.stop)?,
            Array::Command { command } => {
                let made = outside::run(self.plan, test, command, self.stop)?;
                match made {
                    Ok(row) => row,
                    Err(why) => {
                        let mut done = locked(self.done);
                        done.run += 1;
                        done.failed += 1;
                        (self.say)(&format!("{test}: {why}"));
                        return Ok(());
                    }
                }
            }
        };
        let Some(row) = ended else {
            locked(self.done).left += 1;
            return Ok(());
        };
        locked(self.store).add(test, &row)?;
        let mut done = locked(self.done);
        done.run += 1;
        done.failed += usize::from(row.errors + row.faults > 0);
        (self.say)(&format!(
            "{} of {}: {test}: {}",
            done.run,
            self.all,
            told(&row)
        ));
        Ok(())
    }
}

fn told(row: &Row) -> String {
    let watts = row
        .watts
        .map_or("no meter".to_owned(), |watts| format!("{watts:.3} W"));
    let mut text = format!("{watts}, {:.1} IOPS, {:.2} MB/s", row.iops, row.mbps);
    if let Some(ms) = row.response_ms {
        text += &format!(", {ms:.3} ms");
    }
    if row.errors > 0 {
        text += &format!(", {} requests failed", row.errors);
    }
    if row.faults > 0 {
        text += &format!(
            ", {} readings of meters or counters failed or make no sense",
            row.faults
        );
    }
    text
}

/// Where the results of a plan are, unless they are named.
pub fn beside_plan(plan: &Path) -> PathBuf {
    plan.with_extension("sqlite")
}
