// SPDX-License-Identifier: GPL-2.0
//! What following a schedule is worth on loads that its thresholds were not chosen with: those of
//! tools/shared/src/loads, four weeks of each, on the model of an array that policy-replay has.

use jiff::{Timestamp, tz::TimeZone};
use paradm::array::{Array, PastHour};
use paradm::pin::Limits;
use paradm::plan::{Latencies, Op, Request, Watts, gathered, joules};
use paradm::policy_ffi::{Ask, Geometry, LOAD_ONE, Simulation};
use paradm::schedule::{EVERY_SECONDS, Follower, Foresight, Terms};
use paradm::sim::{SimArray, SimSystem};
use shared::loads::rhythm::{self, Rhythm};
use shared::loads::{self, Load};

/// Those of which four weeks take minutes. The others are never quiet for hours, or busy for seconds at a time.
const KINDS: &str = "rhythm,nas,mail,archive,cctv,backup,build,media,database,office";

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

/// One of the two arrays, and what it has cost.
struct Run {
    simulation: Simulation,
    is: Followed,
    latencies: Latencies,
    slow: u64,
    requests: u64,
    /// Whole seconds that have gone by.
    now: u64,
    /// What it had cost when it had learnt: joules, requests that waited, starts.
    learnt: (f64, u64, u64),
}

impl Run {
    fn new(gears: &[u32], follows: bool) -> Self {
        let word = Geometry::layout_word(5, gears).unwrap();
        let members = *gears.last().unwrap();
        Run {
            simulation: Simulation::alone(&Ask::plain(word, members, CHUNK_BYTES, DISK_BYTES))
                .unwrap(),
            is: Followed::new(gears, follows),
            latencies: Latencies::default(),
            slow: 0,
            requests: 0,
            now: 0,
            learnt: (0.0, 0, 0),
        }
    }

    fn pass(&mut self, until: u64) {
        while (self.now + 1) * NS <= until {
            self.now += 1;
            self.simulation.pass(self.now * NS);
            self.is.second(self.now, &mut self.simulation);
            if self.now == LEARNT {
                self.learnt = self.cost();
            }
        }
    }

    fn cost(&mut self) -> (f64, u64, u64) {
        let told = self.simulation.tell().rivals[0];
        let joules = joules(&told, Watts::nearline());
        (joules, self.simulation.see().waited, told.most_starts)
    }

    fn request(&mut self, request: Request, pieces: u32) {
        self.pass(request.at);
        if request.op == Op::Flush {
            self.simulation.flush(request.at);
            return;
        }
        let (place, write) = ((request.sector, request.sectors), request.op == Op::Write);
        let [took, ..] = self.simulation.request(request.at, write, place, pieces);
        if request.at >= LEARNT * NS {
            let pieces = u64::from(pieces);
            self.latencies.add(took, pieces);
            self.requests += pieces;
            self.slow += pieces * u64::from(took > NS / 4);
        }
    }

    fn end(mut self, days: u64) -> Cost {
        self.pass(days * 86_400 * NS);
        let (joules, waited, starts) = self.cost();
        Cost {
            joules: joules - self.learnt.0,
            waited: waited - self.learnt.1,
            starts: starts - self.learnt.2,
            slow: self.slow,
            requests: self.requests,
            latencies: self.latencies,
            hours: self.is.hours,
            right: self.is.right,
        }
    }
}

/// Weeks of requests do not fit into memory: they are made while they are simulated. `rhythm` is as the guide has it,
/// all others are kinds of loads.
fn requests(kind: &str, days: u64, span: u64) -> Box<dyn Iterator<Item = Request>> {
    if kind == "rhythm" {
        let shape = rhythm::Shape {
            days,
            span,
            ..rhythm::Shape::default()
        };
        return Box::new(Rhythm::new(&shape).unwrap().map(Request::from));
    }
    let shape = loads::Shape {
        days,
        span,
        ..loads::Shape::default()
    };
    let load = Load::new(loads::kind(kind).unwrap(), &shape).unwrap();
    Box::new(load.map(Request::from))
}

/// Reacting, and following its schedule.
fn both(kind: &str, gears: &[u32], days: u64) -> [Cost; 2] {
    let mut runs = [false, true].map(|follows| Run::new(gears, follows));
    let bytes = runs[0].simulation.sectors() * 512;
    for (request, pieces) in gathered(requests(kind, days, bytes)) {
        for run in &mut runs {
            run.request(request, pieces);
        }
    }
    runs.map(|run| run.end(days))
}

fn row(kind: &str, days: u64, [reacts, follows]: &[Cost; 2]) -> String {
    let days = real(days) - 7.0;
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

fn chosen(variable: &str, default: &str) -> Vec<String> {
    let words = std::env::var(variable).unwrap_or(default.to_owned());
    words.split(',').map(str::to_owned).collect()
}

#[test]
#[ignore = "figures, and not a verdict, in minutes: scripts/build-paradm schedules"]
fn schedules_of_loads() {
    let gears = chosen("PARADM_TEST_GEARS", "3,5");
    let gears: Vec<u32> = gears.iter().map(|gear| gear.parse().unwrap()).collect();
    let days: u64 = chosen("PARADM_TEST_DAYS", "28")[0].parse().unwrap();
    for kind in chosen("PARADM_TEST_KINDS", KINDS) {
        println!("{}", row(&kind, days, &both(&kind, &gears, days)));
    }
}
