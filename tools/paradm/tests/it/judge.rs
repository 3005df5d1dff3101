// SPDX-License-Identifier: GPL-2.0
//! What following a schedule is worth on loads that its thresholds were not chosen with: those of
//! tests/policy/loads.c, four weeks of each, on the model of an array that policy-replay has.

use jiff::{Timestamp, tz::TimeZone};
use paradm::array::{Array, PastHour};
use paradm::pin::Limits;
use paradm::plan::{Latencies, Op, Trace, Watts, joules};
use paradm::policy_ffi::{Geometry, LOAD_ONE, Simulation, load_kinds, load_lines};
use paradm::schedule::{EVERY_SECONDS, Follower, Foresight, Terms};
use paradm::sim::{SimArray, SimSystem};

/// 2026-11-02, a Monday, as the loads begin with one; in hours since 1970.
const MONDAY: i64 = 20_759 * 24;
const NS: u64 = 1_000_000_000;
const DISK_BYTES: u64 = 16_000_000_000_000;
const CHUNK_BYTES: u64 = 512 << 10;
/// The first week is only learnt from.
const LEARNT: u64 = 7 * 86_400;

/// All weeks but the first.
#[derive(Debug)]
struct Cost {
    joules: f64,
    waited: u64,
    starts: u64,
    slow: u64,
    requests: u64,
    latencies: Latencies,
    /// Of these weeks, how many hours it followed.
    hours: u64,
    /// Percent of all known hours, at the end.
    right: f64,
}

struct Followed {
    array: Array,
    own: Limits,
    past: Vec<PastHour>,
    sum: f64,
    peak: f64,
    busy: u64,
    gear: u64,
    follower: Follower,
    foresight: Option<Foresight>,
    right: f64,
    hours: u64,
    follows: bool,
}

#[allow(clippy::cast_precision_loss)]
fn real(number: u64) -> f64 {
    number as f64
}

impl Followed {
    fn new(gears: &[u32], follows: bool) -> Self {
        let sim = SimSystem::with([SimArray::new("md0", gears)]);
        let array = Array::read(&sim, "md0").unwrap();
        Followed {
            own: Limits {
                min_gear: gears[0],
                max_gear: *gears.last().unwrap(),
            },
            array,
            past: Vec::new(),
            sum: 0.0,
            peak: 0.0,
            busy: 0,
            gear: 0,
            follower: Follower::default(),
            foresight: None,
            right: 0.0,
            hours: 0,
            follows,
        }
    }

    /// A second is over, as the module's history and the daemon see it.
    fn second(&mut self, now: u64, simulation: &mut Simulation) {
        let view = simulation.see();
        let load = real(view.load) * 100.0 / f64::from(LOAD_ONE);
        self.sum += load;
        self.peak = self.peak.max(load);
        if now % 3600 == 0 {
            self.hour(now);
        }
        if now % EVERY_SECONDS == 0 && now >= LEARNT && self.follows {
            self.look(now, simulation);
        }
    }

    fn hour(&mut self, now: u64) {
        let hour = MONDAY + i64::try_from(now / 3600).unwrap() - 1;
        self.past.push(PastHour {
            hour,
            mean: self.sum / 3600.0,
            peak: self.peak,
        });
        (self.sum, self.peak) = (0.0, 0.0);
        let clock = Timestamp::from_second((hour + 1) * 3600).unwrap();
        let foresight = Foresight::new(&self.array, &self.past, clock, &TimeZone::UTC);
        self.right = foresight.right().map_or(0.0, |right| right.percent);
        self.foresight = foresight.is_good_enough().then_some(foresight);
        self.hours += u64::from(now >= LEARNT && self.foresight.is_some());
    }

    /// As daemon/follow.rs.
    fn look(&mut self, now: u64, simulation: &mut Simulation) {
        let view = simulation.see();
        let gear = u32::try_from(view.gear).unwrap();
        let busy = view.in_flight.saturating_sub(self.busy);
        let is_same = self.gear == view.gear;
        (self.busy, self.gear) = (view.in_flight, view.gear);
        let limits = match &self.foresight {
            None => self.own,
            Some(foresight) => {
                let plan = foresight.plan(MONDAY * 3600 + i64::try_from(now).unwrap());
                if !plan.needs_load(gear, self.own.min_gear) {
                    self.follower.forget();
                } else if is_same {
                    let percent = real(busy) * 100.0 / real(view.gear * EVERY_SECONDS * NS);
                    self.follower.see(percent, gear, &self.array.gears);
                }
                let terms = Terms {
                    gears: &self.array.gears,
                    up_threshold: self.array.settings.up_threshold,
                    limits: self.own,
                };
                self.follower.limits(&plan, gear, terms)
            }
        };
        simulation.limit(limits.min_gear, limits.max_gear).unwrap();
    }
}

fn run(trace: &Trace, gears: &[u32], days: u64, follows: bool) -> Cost {
    let word = Geometry::layout_word(5, gears).unwrap();
    let members = *gears.last().unwrap();
    let mut simulation = Simulation::alone(word, members, CHUNK_BYTES, DISK_BYTES).unwrap();
    let mut is = Followed::new(gears, follows);
    let mut latencies = Latencies::default();
    let (mut slow, mut count, mut now) = (0, 0, 0);
    let mut learnt = (0.0, 0, 0);
    let watts = Watts::nearline();
    let mut pass = |until: u64, simulation: &mut Simulation, is: &mut Followed| {
        while (now + 1) * NS <= until {
            now += 1;
            simulation.pass(now * NS);
            is.second(now, simulation);
            if now == LEARNT {
                let told = simulation.tell().rivals[0];
                learnt = (
                    joules(&told, watts),
                    simulation.see().waited,
                    told.most_starts,
                );
            }
        }
    };
    for (request, pieces) in trace.gathered(simulation.sectors()) {
        pass(request.at, &mut simulation, &mut is);
        if request.op == Op::Flush {
            simulation.flush(request.at);
            continue;
        }
        let place = (request.sector, request.sectors);
        let [took, ..] = simulation.request(request.at, request.op == Op::Write, place, pieces);
        if request.at >= LEARNT * NS {
            latencies.add(took, u64::from(pieces));
            count += u64::from(pieces);
            slow += u64::from(pieces) * u64::from(took > NS / 4);
        }
    }
    pass(days * 86_400 * NS, &mut simulation, &mut is);
    let told = simulation.tell().rivals[0];
    Cost {
        joules: joules(&told, watts) - learnt.0,
        waited: simulation.see().waited - learnt.1,
        starts: told.most_starts - learnt.2,
        slow,
        requests: count,
        latencies,
        hours: is.hours,
        right: is.right,
    }
}

/// Reacting, and following its schedule.
fn both(kind: &str, gears: &[u32], days: u32) -> [Cost; 2] {
    let word = Geometry::layout_word(5, gears).unwrap();
    let geometry = Geometry::new(word, *gears.last().unwrap(), CHUNK_BYTES, DISK_BYTES).unwrap();
    let lines = load_lines(kind, days, geometry.array_bytes()).unwrap();
    let trace = Trace::parse(&lines).unwrap();
    drop(lines);
    [false, true].map(|follows| run(&trace, gears, u64::from(days), follows))
}

fn row(kind: &str, [reacts, follows]: &[Cost; 2]) -> String {
    let days = 21.0;
    format!(
        "bench: {kind:<9} right {:>3.0} % followed {:>3} h | kJ a day {:>6.0} {:>6.0} {:>+5.1} % | \
         waited {:>7} {:>7} | p99 ms {:>6.1} {:>6.1} | slow {:>7} {:>7} of {:>8} | starts a day {:>4.1} {:>4.1}",
        follows.right,
        follows.hours,
        reacts.joules / 1000.0 / days,
        follows.joules / 1000.0 / days,
        (follows.joules / reacts.joules - 1.0) * 100.0,
        reacts.waited,
        follows.waited,
        reacts.latencies.percentile_ms(99),
        follows.latencies.percentile_ms(99),
        reacts.slow,
        follows.slow,
        follows.requests,
        real(reacts.starts) / days,
        real(follows.starts) / days,
    )
}

#[test]
#[ignore = "figures, and not a verdict, in minutes: scripts/build-paradm schedules"]
fn schedules_of_loads() {
    let gears = std::env::var("PARADM_TEST_GEARS").unwrap_or("3,5".to_owned());
    let gears: Vec<u32> = gears.split(',').map(|gear| gear.parse().unwrap()).collect();
    let wanted = std::env::var("PARADM_TEST_KINDS").unwrap_or_default();
    for (kind, _) in load_kinds() {
        if wanted.is_empty() || wanted.split(',').any(|one| one == kind) {
            println!("{}", row(kind, &both(kind, &gears, 28)));
        }
    }
}
