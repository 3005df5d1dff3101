// SPDX-License-Identifier: GPL-2.0

use crate::output::printable;
use crate::system::Uevent;
use serde::Serialize;

/// What the module has reported by a uevent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Event {
    /// Seconds since 1970.
    pub time: i64,
    pub array: String,
    /// `PAR_EVENT`: shift, sleep, wake, lost, put-off, decision; or state.
    pub kind: String,
    pub gear: Option<u32>,
    pub member: Option<u32>,
    pub device: Option<String>,
    /// `PAR_CAUSE`, or `PAR_REASON`.
    pub cause: Option<String>,
    /// `PAR_DECISION`, `PAR_POWER` or `PAR_KIND`; of a state, the array's health.
    pub what: Option<String>,
}

/// Longer is no word of the module's.
const LONGEST: usize = 200;

impl Event {
    /// `None`: it is not raid-par's.
    pub fn of(uevent: &Uevent, time: i64) -> Option<Self> {
        // A process chooses its name: no line of a mail or of a terminal begins in it.
        let word = |key: &str| {
            let value = printable(uevent.value(key)?);
            Some(value.chars().take(LONGEST).collect::<String>())
        };
        let number = |key: &str| uevent.value(key)?.parse().ok();
        uevent.par_array()?;
        Some(Event {
            time,
            array: word("DEVNAME")?,
            kind: word("PAR_EVENT")?,
            gear: number("PAR_GEAR"),
            member: number("PAR_MEMBER"),
            device: word("PAR_DEVICE"),
            cause: word("PAR_CAUSE").or_else(|| word("PAR_REASON")),
            what: ["PAR_DECISION", "PAR_POWER", "PAR_KIND"]
                .iter()
                .find_map(|key| word(key)),
        })
    }

    /// Does the health of the array say the same, which the daemon looks at after each uevent? Then it is not told twice.
    pub fn is_a_state(&self) -> bool {
        self.kind == "fail" || self.kind == "lost" && self.what.as_deref() == Some("data")
    }

    /// In a line, for people.
    pub fn line(&self) -> String {
        let gear = self.gear.map_or("?".to_owned(), |gear| gear.to_string());
        let member = self.member.map_or("?".to_owned(), |one| one.to_string());
        let device = self.device.as_deref().unwrap_or("?");
        let cause = self.cause.as_deref().unwrap_or("?");
        let array = &self.array;
        match self.kind.as_str() {
            "shift" => format!("{array} is in gear {gear}"),
            "sleep" => format!("member {member} of {array}, {device}, sleeps"),
            "wake" => format!("member {member} of {array}, {device}, was woken by {cause}"),
            "lost" => format!("member {member} of {array} has lost copies of blocks"),
            "put-off" => format!(
                "{array} does not shift to gear {gear} yet: the spin-up budget of member {member} is exhausted"
            ),
            "decision" => format!(
                "the policy of {array}: {} to gear {gear}, {cause}",
                self.what.as_deref().unwrap_or("?")
            ),
            "state" => {
                let health = match self.what.as_deref() {
                    Some("broken") => "BROKEN",
                    Some("doubt") => "not sure of its data",
                    Some(health) => health,
                    None => "?",
                };
                let why = self.cause.as_deref();
                let why = why.map_or(String::new(), |why| format!(": {why}"));
                format!("{array} is {health}{why}")
            }
            other => format!("{array}: {other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn uevent(values: &[(&str, &str)]) -> Uevent {
        Uevent {
            action: "change".to_owned(),
            path: "/devices/virtual/block/md0".to_owned(),
            values: values
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect(),
        }
    }

    #[test]
    fn an_event_is_what_its_uevent_says() {
        let wake = uevent(&[
            ("DEVNAME", "md0"),
            ("PAR_EVENT", "wake"),
            ("PAR_MEMBER", "4"),
            ("PAR_DEVICE", "sde"),
            ("PAR_CAUSE", "process dd[913]"),
        ]);
        let event = Event::of(&wake, 7).unwrap();
        assert_eq!((event.time, event.member), (7, Some(4)));
        assert_eq!(
            event.line(),
            "member 4 of md0, sde, was woken by process dd[913]"
        );
        let fail = uevent(&[
            ("DEVNAME", "md0"),
            ("PAR_EVENT", "fail"),
            ("PAR_MEMBER", "4"),
            ("PAR_DEVICE", "sde"),
        ]);
        assert!(Event::of(&fail, 7).unwrap().is_a_state());
        let mut lost = vec![
            ("DEVNAME", "md0"),
            ("PAR_EVENT", "lost"),
            ("PAR_KIND", "data"),
        ];
        let of = |values: &[(&str, &str)]| Event::of(&uevent(values), 7).unwrap();
        assert!(of(&lost).is_a_state());
        lost[2].1 = "copy";
        lost.push(("PAR_MEMBER", "1"));
        assert!(!of(&lost).is_a_state());
        assert_eq!(
            of(&lost).line(),
            "member 1 of md0 has lost copies of blocks"
        );
        assert_eq!(Event::of(&uevent(&[("DEVNAME", "md0")]), 7), None);
        assert_eq!(Event::of(&uevent(&[("PAR_EVENT", "wake")]), 7), None);
    }

    proptest! {
        #[test]
        fn any_words_make_an_event_or_none(words in prop::collection::vec("(?s).*", 8)) {
            let keys = ["DEVNAME", "PAR_EVENT", "PAR_GEAR", "PAR_MEMBER", "PAR_DEVICE", "PAR_CAUSE", "PAR_REASON", "PAR_DECISION"];
            let values: Vec<_> = keys.iter().zip(&words).map(|(key, word)| (*key, word.as_str())).collect();
            let event = Event::of(&uevent(&values), 0).unwrap();
            prop_assert!(event.kind.chars().count() <= LONGEST);
            prop_assert!(!event.line().contains(char::is_control));
        }
    }
}
