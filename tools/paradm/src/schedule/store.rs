// SPDX-License-Identifier: GPL-2.0
//! Which arrays follow their schedule, and the limits that are the user's own: kept in a file, so that
//! nothing is lost if the daemon is killed.

use crate::array::{self, Array, PolicyMode};
use crate::error::{Error, Result};
use crate::kept::Kept;
use crate::pin::{self, Limits};
use crate::system::System;
use serde::{Deserialize, Serialize};

pub const FILE: &str = "/var/lib/paradm/schedules.json";
const SCHEDULES: Kept = Kept {
    file: FILE,
    lock: "/var/lib/paradm/schedules.lock",
    name: "the schedules",
    wanted: "a list of arrays that follow their schedule; delete it, and none does",
};

/// An array that follows its schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Followed {
    pub array: String,
    /// md's, where the kernel tells it: an array may come back by another name.
    #[serde(default)]
    pub uuid: Option<String>,
    /// The user's own limits, between which the schedule stays.
    pub own: Limits,
    /// Those that the schedule has set last.
    pub set: Limits,
    /// While others are being set: those before. After a crash either may hold.
    #[serde(default)]
    pub was: Option<Limits>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Document {
    schedules: Vec<Followed>,
}

/// All, those of arrays that do not run now among them.
pub fn load(system: &dyn System) -> Result<Vec<Followed>> {
    Ok(SCHEDULES.load::<Document>(system)?.schedules)
}

fn save(system: &dyn System, all: &[Followed]) -> Result<()> {
    let document = Document {
        schedules: all.to_vec(),
    };
    SCHEDULES.save(system, (!all.is_empty()).then_some(&document))
}

impl Followed {
    fn is_of(&self, name: &str, uuid: Option<&str>) -> bool {
        match (self.uuid.as_deref(), uuid) {
            (Some(own), Some(uuid)) => own == uuid,
            _ => self.array == name,
        }
    }

    fn own_of(&self, is: Limits) -> Limits {
        let own = |limit: fn(Limits) -> u32| {
            let mut set = [Some(self.set), self.was].into_iter().flatten();
            if set.any(|set| limit(set) == limit(is)) {
                limit(self.own)
            } else {
                limit(is)
            }
        };
        Limits {
            min_gear: own(|limits| limits.min_gear),
            max_gear: own(|limits| limits.max_gear),
        }
    }
}

/// The array's, if it follows its schedule.
pub fn of(system: &dyn System, name: &str) -> Result<Option<Followed>> {
    let uuid = pin::uuid(system, name);
    let all = load(system)?;
    Ok(all.into_iter().find(|one| one.is_of(name, uuid.as_deref())))
}

/// What `schedule apply` or `schedule off` has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changed {
    pub name: String,
    pub follows: bool,
    /// It did so already.
    pub nothing: bool,
    /// What the array has now.
    pub limits: Limits,
    /// Somebody has set others than the schedule did: they stay.
    pub changed_since: bool,
}

/// Have an array follow its schedule from now on, as long as the daemon runs.
pub fn apply(system: &dyn System, given: Option<&str>) -> Result<Changed> {
    let array = Array::read(system, &array::named(system, given)?)?;
    let refused = |reason: &str| Error::Refused {
        what: format!("{} cannot follow its schedule", array.name),
        reason: reason.to_owned(),
    };
    if array.settings.policy == PolicyMode::Manual {
        return Err(refused(
            "it is shifted by hand; `paradm policy set policy=auto` makes it shift by itself",
        ));
    }
    if array.is_read_only() {
        return Err(refused(
            "it is read-only; `mdadm --readwrite` makes it writable",
        ));
    }
    must_not_be_pinned(system, &array.name, "cannot follow its schedule")?;
    let _lock = SCHEDULES.lock(system)?;
    let mut all = load(system)?;
    let uuid = pin::uuid(system, &array.name);
    let limits = pin::limits_of(&array);
    let nothing = all
        .iter()
        .any(|one| one.is_of(&array.name, uuid.as_deref()));
    if !nothing {
        all.push(Followed {
            array: array.name.clone(),
            uuid,
            own: limits,
            set: limits,
            was: None,
        });
        save(system, &all)?;
    }
    Ok(Changed {
        name: array.name,
        follows: true,
        nothing,
        limits,
        changed_since: false,
    })
}

/// Give an array's limits back to the user.
pub fn off(system: &dyn System, given: Option<&str>) -> Result<Changed> {
    let name = array::named(system, given)?;
    must_not_be_pinned(system, &name, "still follows its schedule")?;
    let _lock = SCHEDULES.lock(system)?;
    let mut all = load(system)?;
    let uuid = pin::uuid(system, &name);
    let at = all.iter().position(|one| one.is_of(&name, uuid.as_deref()));
    let followed = at.map(|at| all.remove(at));
    let changed_since = match &followed {
        Some(followed) => !give_back(system, &name, followed)?,
        None => false,
    };
    if followed.is_some() {
        save(system, &all)?;
    }
    Ok(Changed {
        limits: pin::limits(system, &name)?,
        name,
        follows: false,
        nothing: followed.is_none(),
        changed_since,
    })
}

/// The user's own limits hold, unless somebody has set others since: false then.
pub fn give_back(system: &dyn System, name: &str, followed: &Followed) -> Result<bool> {
    let is = pin::limits(system, name)?;
    let is_set = is == followed.set || Some(is) == followed.was;
    if is_set {
        pin::set_limits(system, name, followed.own)?;
    }
    Ok(is_set)
}

/// The user's own limits of an array that has these: what a schedule has set is not the user's, and what somebody else
/// has set meanwhile is.
pub fn own_limits(system: &dyn System, name: &str, is: Limits) -> Result<Limits> {
    Ok(of(system, name)?.map_or(is, |followed| followed.own_of(is)))
}

/// Have an array that follows its schedule be between these limits. What somebody has set
/// meanwhile is the user's own from now on. A pin's limits stay, and are nobody's own.
pub fn set(
    system: &dyn System,
    name: &str,
    wanted: impl FnOnce(Limits) -> Limits,
) -> Result<Option<Limits>> {
    let Some(followed) = of(system, name)? else {
        return Ok(None);
    };
    if pin::is_pinned(system, name)? {
        return Ok(None);
    }
    let is = pin::limits(system, name)?;
    let own = followed.own_of(is);
    let set = wanted(own);
    if own == followed.own && set == followed.set && set == is && followed.was.is_none() {
        return Ok(Some(set));
    }
    // A pin that is being set has saved itself, and its limits follow.
    let _pins = pin::lock(system)?;
    if pin::is_pinned(system, name)? {
        return Ok(None);
    }
    let _lock = SCHEDULES.lock(system)?;
    let mut all = load(system)?;
    let Some(place) = all
        .iter_mut()
        .find(|one| one.is_of(name, followed.uuid.as_deref()))
    else {
        return Ok(None);
    };
    // Written down before it holds, or a crash in between would leave what is taken for the user's own.
    place.own = own;
    place.set = set;
    place.was = Some(is);
    save(system, &all)?;
    pin::set_limits(system, name, set)?;
    for one in &mut all {
        if one.is_of(name, followed.uuid.as_deref()) {
            one.was = None;
        }
    }
    save(system, &all)?;
    Ok(Some(set))
}

fn must_not_be_pinned(system: &dyn System, name: &str, what: &str) -> Result<()> {
    if !pin::is_pinned(system, name)? {
        return Ok(());
    }
    Err(Error::Refused {
        what: format!("{name} {what}"),
        reason: "it is pinned; `paradm pin end` ends the pin".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimSystem;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_file_is_read_or_refused(text in "\\PC*|\\{\"schedules\":\\[\\{[a-z0-9\":,{}]*\\}\\]\\}") {
            let sim = SimSystem::new();
            sim.world().tree.file(FILE, &text);
            let _ = load(&sim);
        }

        #[test]
        fn what_is_saved_is_loaded(array in "md[0-9]{1,3}", uuid: Option<String>, gears in prop::array::uniform4(2u32..28)) {
            let [a, b, c, d] = gears;
            let one = Followed {
                array, uuid,
                own: Limits { min_gear: a, max_gear: b },
                set: Limits { min_gear: c, max_gear: d },
                was: (a == c).then_some(Limits { min_gear: d, max_gear: b }),
            };
            let sim = SimSystem::new();
            save(&sim, std::slice::from_ref(&one)).unwrap();
            prop_assert_eq!(load(&sim).unwrap(), [one]);
        }
    }
}
