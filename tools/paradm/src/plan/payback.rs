// SPDX-License-Identifier: GPL-2.0
//! What the energy that an array saves is worth, beside plain RAID, and when it has paid for what the array costs more.

use super::{Plan, Rival};
use serde::Serialize;

/// Prices are in the currency of the price of a kWh.
#[derive(Debug, Clone, Serialize)]
pub struct Payback {
    pub rival: Rival,
    /// Of energy, by the array; below 0, the rival's uses less.
    pub saved_per_year: f64,
    /// What the array costs more: its additional disks, or, beside as many, the part of their price that is of the
    /// capacity that it lacks. `None`: disks have no price.
    pub extra_price: Option<f64>,
    /// Until what is saved is what it costs more; `None`: never, or disks have no price.
    pub years: Option<f64>,
}

const HOURS_A_YEAR: f64 = 8766.0;

/// Beside each plain RAID that is shown.
pub(super) fn of(plan: &Plan) -> Vec<Payback> {
    let plain = [Rival::Raid, Rival::RaidRest, Rival::Few, Rival::FewRest];
    let shown = plain.into_iter().filter(|rival| plan.shows(*rival));
    shown.filter_map(|rival| beside(plan, rival)).collect()
}

impl Plan {
    /// Mean watts on the load; without one, always idle: the array in its lowest gear, what may stop stopped.
    pub(super) fn mean_watts(&self, rival: Rival) -> f64 {
        match self.load.as_ref().and_then(|load| load.of(rival)) {
            Some(is) => is.wh_per_day / 24.0,
            None => self.watts_when_idle(rival),
        }
    }

    fn watts_when_idle(&self, rival: Rival) -> f64 {
        let gear = match rival {
            Rival::Raid => return self.raid.idle_watts,
            Rival::RaidRest => return self.raid.asleep_watts,
            Rival::Few => return self.few.idle_watts,
            Rival::FewRest => return self.few.asleep_watts,
            Rival::Par => self.by_gear.first(),
            Rival::Top => self.by_gear.last(),
        };
        gear.map_or(0.0, |gear| gear.idle_watts)
    }

    /// Of a year at these watts.
    pub(super) fn energy_price(&self, watts: f64) -> Option<f64> {
        Some(self.kwh_price? * watts * HOURS_A_YEAR / 1000.0)
    }

    /// Capacities are below 2^53 bytes, or nearly so.
    #[allow(clippy::cast_precision_loss)]
    fn extra_price(&self, rival: Rival) -> Option<f64> {
        let all = self.price?;
        Some(match rival {
            Rival::Few | Rival::FewRest => all - self.few.price?,
            _ => all * (1.0 - self.bytes as f64 / self.raid.bytes as f64),
        })
    }
}

fn beside(plan: &Plan, rival: Rival) -> Option<Payback> {
    let saved = plan.mean_watts(rival) - plan.mean_watts(Rival::Par);
    let saved_per_year = plan.energy_price(saved)?;
    let extra_price = plan.extra_price(rival);
    Some(Payback {
        rival,
        saved_per_year,
        extra_price,
        years: extra_price
            .filter(|_| saved_per_year > 0.0)
            .map(|extra| extra / saved_per_year),
    })
}
