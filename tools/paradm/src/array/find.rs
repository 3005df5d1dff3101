// SPDX-License-Identifier: GPL-2.0
//! Which par arrays run, and which one is meant.

use super::{Array, Inactive, inactive, par_dir};
use crate::error::{Error, Result};
use crate::system::{Files, System};
use std::num::NonZero;
use std::path::Path;
use std::thread;

/// The par arrays that run, by name: md2 before md10.
pub fn names(system: &dyn System) -> Result<Vec<String>> {
    let mut names = system.names(Path::new("/sys/block"))?;
    // md's names all begin so: other devices, of which there may be hundreds, are not looked at.
    names.retain(|name| name.starts_with("md") && system.exists(&par_dir(name)));
    names.sort_by_key(|name| (name.len(), name.clone()));
    Ok(names)
}

/// All of them. One that is stopped meanwhile is left out.
pub fn all(system: &dyn System) -> Result<Vec<Array>> {
    let mut arrays = Vec::new();
    for result in read_each(system, &names(system)?) {
        match result {
            Ok(array) => arrays.push(array),
            Err(Error::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(arrays)
}

/// A large array has hundreds of files: several arrays are read at a time, on all CPUs.
fn read_each(system: &dyn System, names: &[String]) -> Vec<Result<Array>> {
    let read = |names: &[String]| -> Vec<_> {
        names.iter().map(|name| Array::read(system, name)).collect()
    };
    if names.len() < 2 {
        return read(names);
    }
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let share = names.len().div_ceil(cpus);
    thread::scope(|scope| {
        let threads: Vec<_> = names
            .chunks(share)
            .map(|some| scope.spawn(|| read(some)))
            .collect();
        let ends = threads.into_iter().map(thread::ScopedJoinHandle::join);
        ends.flat_map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// The one that is given, or all.
pub fn some(system: &dyn System, given: Option<&str>) -> Result<Vec<Array>> {
    match given {
        None => {
            let arrays = all(system)?;
            if arrays.is_empty() && !inactive(system)?.is_empty() {
                return Err(none(system));
            }
            Ok(arrays)
        }
        Some(_) => {
            let name = named(system, given)?;
            Ok(vec![Array::read(system, &name)?])
        }
    }
}

/// The name of the array that the user means by `md0`, `/dev/md0`, a link such as
/// `/dev/md/home`, or the name of that, `home`. Without `given`, the only one that runs.
pub fn named(system: &dyn System, given: Option<&str>) -> Result<String> {
    let Some(given) = given else {
        return only(system);
    };
    let name = meant(system, given).filter(|name| system.exists(&par_dir(name)));
    name.ok_or_else(|| no_such(system, given))
}

/// The arrays that are meant and do not run; all such, if none is named.
pub fn down(system: &dyn System, given: Option<&str>) -> Result<Vec<Inactive>> {
    let mut down = inactive(system)?;
    if let Some(given) = given {
        let name = meant(system, given);
        down.retain(|one| name.as_ref() == Some(&one.name));
    }
    Ok(down)
}

/// None runs; but perhaps one would.
fn none(system: &dyn System) -> Error {
    let down = inactive(system).unwrap_or_default();
    Error::NotFound(match down.as_slice() {
        [] => "no par array runs here".to_owned(),
        some => format!("no par array runs here; {}", told(some)),
    })
}

fn told(down: &[Inactive]) -> String {
    let names: Vec<_> = down.iter().map(|one| one.name.as_str()).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    format!(
        "{} {are} inactive: `paradm status` says what to do",
        names.join(", ")
    )
}

/// The name that an array has in /dev/md, if that is more than its number.
pub fn link_of(system: &dyn System, name: &str) -> Option<String> {
    let dir = Path::new("/dev/md");
    let links = system.list(dir).unwrap_or_default();
    links.into_iter().find(|link| {
        let to = system.read_link(&dir.join(link)).unwrap_or_default();
        format!("md{link}") != name && to.file_name().is_some_and(|to| to == name)
    })
}

fn only(system: &dyn System) -> Result<String> {
    let names = names(system)?;
    match names.as_slice() {
        [name] => Ok(name.clone()),
        [] => Err(none(system)),
        several => Err(Error::Usage(format!(
            "there are several par arrays, name one: {}",
            several.join(" ")
        ))),
    }
}

/// The name as in /sys/block, whether such an array runs or not, of `md127`, or of `home` if there is a link
/// /dev/md/home. A path is a device's, or a link to one: `None` for any other, whatever its last part is called. A copy
/// of a system's files has no /dev, so that a device need not be there.
pub fn meant(system: &dyn System, given: &str) -> Option<String> {
    let path = Path::new(given);
    if !given.contains('/') {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let known = system.exists(&Path::new("/sys/block").join(&name));
        let link = Path::new("/dev/md").join(&name);
        return match system.read_link(&link) {
            Ok(to) if !known => Some(to.file_name()?.to_string_lossy().into_owned()),
            _ => Some(name),
        };
    }
    let path = system.resolve(path).unwrap_or_else(|_| path.to_owned());
    let is_device = path.parent() == Some(Path::new("/dev"));
    is_device.then(|| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    })?
}

pub(super) fn no_such(system: &dyn System, given: &str) -> Error {
    let down = down(system, Some(given)).unwrap_or_default();
    if !down.is_empty() {
        return Error::NotFound(told(&down));
    }
    let there = match names(system) {
        Ok(names) if !names.is_empty() => format!("there are: {}", names.join(" ")),
        _ => "there is none".to_owned(),
    };
    Error::NotFound(format!("{given} is not a running par array; {there}"))
}
