// SPDX-License-Identifier: GPL-2.0
//! The daemon's configuration file. What it does not know is an error, so that a slip is not taken for nothing.

use crate::error::{Error, Result};
use crate::system::{Files, System};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

pub const FILE: &str = "/etc/paradm/daemon.toml";

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where metrics are served; an address of this machine only.
    pub listen: Option<SocketAddr>,
    /// A file that metrics are written to each minute.
    pub textfile: Option<PathBuf>,
    /// The history is kept so long.
    pub history_days: u32,
    /// A program that is run for each event of `hook_events`.
    pub hook: Option<PathBuf>,
    pub hook_events: Vec<Kind>,
    /// To whom events of `mail_events` are sent.
    pub mail: Option<String>,
    pub mail_events: Vec<Kind>,
    /// Disks without runtime PM, and by what they are stopped.
    pub standby: BTreeMap<PathBuf, Tool>,
}

/// Events, as `PAR_EVENT` has them; and `state`, of the daemon's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Shift,
    Sleep,
    Wake,
    Lost,
    PutOff,
    Decision,
    State,
}

impl Kind {
    pub const ALL: [Kind; 7] = [
        Kind::Shift,
        Kind::Sleep,
        Kind::Wake,
        Kind::Lost,
        Kind::PutOff,
        Kind::Decision,
        Kind::State,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Shift => "shift",
            Kind::Sleep => "sleep",
            Kind::Wake => "wake",
            Kind::Lost => "lost",
            Kind::PutOff => "put-off",
            Kind::Decision => "decision",
            Kind::State => "state",
        }
    }
}

/// The program that stops a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    Hdparm,
    Sdparm,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            listen: None,
            textfile: None,
            history_days: 400,
            hook: None,
            hook_events: Kind::ALL.to_vec(),
            mail: None,
            mail_events: vec![Kind::State, Kind::PutOff],
            standby: BTreeMap::new(),
        }
    }
}

impl Config {
    /// Without `given`, the usual file, which need not be there.
    pub fn read(system: &dyn System, given: Option<&Path>) -> Result<Self> {
        let path = given.unwrap_or(Path::new(FILE));
        if given.is_none() && !system.exists(path) {
            return Ok(Self::default());
        }
        let text = system.text(path)?;
        let wrong = |what: String| Error::Usage(format!("{}: {what}", path.display()));
        let config: Config = toml::from_str(&text).map_err(|error| wrong(line(&error, &text)))?;
        config.check().map_err(wrong)?;
        Ok(config)
    }

    /// What the file names and is not there. Not asked at each start: it may be on a file system that comes later.
    pub fn check_files(&self, system: &dyn System) -> Result<()> {
        let textfile = self.textfile.as_deref().and_then(Path::parent);
        for (key, path) in [("hook", self.hook.as_deref()), ("textfile", textfile)] {
            if let Some(path) = path.filter(|path| !system.exists(path)) {
                return Err(Error::Usage(format!(
                    "{key}: there is no {}",
                    path.display()
                )));
            }
        }
        match self.hook.as_deref().filter(|path| !system.is_program(path)) {
            Some(path) => Err(Error::Usage(format!(
                "hook: {} cannot be run: is it a program, and executable (chmod +x)?",
                path.display()
            ))),
            None => Ok(()),
        }
    }

    fn check(&self) -> std::result::Result<(), String> {
        if let Some(listen) = self.listen.filter(|listen| !listen.ip().is_loopback()) {
            return Err(format!(
                "listen: {listen} is no loopback address, such as 127.0.0.1:9110 or [::1]:9110"
            ));
        }
        if !(7..=3650).contains(&self.history_days) {
            return Err("history_days: it is from 7 to 3650".to_owned());
        }
        let textfile = self.textfile.as_deref();
        if textfile.is_some_and(|path| {
            !path.is_absolute() || path.extension().is_none_or(|end| end != "prom")
        }) {
            return Err("textfile: it is a whole path that ends in .prom, or node_exporter does not read it".to_owned());
        }
        if self.hook.as_deref().is_some_and(|path| !path.is_absolute()) {
            return Err("hook: it is a whole path, such as /usr/local/sbin/par-event".to_owned());
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "@.+-_".contains(c);
        let address =
            |mail: &str| !mail.is_empty() && !mail.starts_with('-') && mail.chars().all(plain);
        if self.mail.as_deref().is_some_and(|mail| !address(mail)) {
            return Err("mail: it is one address, such as root or admin@example.org".to_owned());
        }
        match self.standby.keys().find(|path| !path.starts_with("/dev")) {
            Some(path) => Err(format!(
                "standby: {} is no device, such as /dev/disk/by-id/ata-…",
                path.display()
            )),
            None => Ok(()),
        }
    }
}

/// In one line, and which line is wrong.
fn line(error: &toml::de::Error, text: &str) -> String {
    let message = error.message().replace('\n', " ");
    let before = error.span().and_then(|span| text.get(..span.start));
    match before {
        Some(before) => {
            let number = before.matches('\n').count();
            let wrong = text.lines().nth(number).unwrap_or_default().trim();
            format!("line {}: {message}{}: {wrong:?}", number + 1, right(wrong))
        }
        None => message,
    }
}

/// What a key takes, where the parser says only which type its value is not of.
fn right(line: &str) -> &'static str {
    match line.split('=').next().unwrap_or_default().trim() {
        "listen" => ", it is an address and a port, such as \"127.0.0.1:9110\"",
        "history_days" => ", it is from 7 to 3650",
        "hook_events" | "mail_events" => ", it is a list such as [\"shift\", \"put-off\"]",
        "standby" => ", it is a table that begins with [standby]",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimSystem;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Config> {
        let sim = SimSystem::new();
        sim.world().tree.file(FILE, text);
        Config::read(&sim, None)
    }

    fn error(text: &str) -> String {
        let said = read(text).unwrap_err().to_string();
        assert!(!said.contains('\n'), "{said}");
        said
    }

    #[test]
    fn all_keys_are_read() {
        let config = read(
            r#"
            listen = "127.0.0.1:9110"
            textfile = "/var/lib/prometheus/node-exporter/raidpar.prom"
            history_days = 90
            hook = "/usr/local/sbin/par-event"
            hook_events = ["wake", "put-off"]
            mail = "root"
            mail_events = []
            [standby]
            "/dev/disk/by-id/ata-X" = "hdparm"
            "/dev/disk/by-id/scsi-Y" = "sdparm"
            "#,
        )
        .unwrap();
        assert_eq!(config.listen, Some("127.0.0.1:9110".parse().unwrap()));
        assert_eq!(config.hook_events, [Kind::Wake, Kind::PutOff]);
        assert_eq!(config.standby.len(), 2);
        assert_eq!(read("").unwrap(), Config::default());
        assert_eq!(
            Config::read(&SimSystem::new(), None).unwrap(),
            Config::default()
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        assert!(
            error("listen = \"127.0.0.1:9110\"\nlissen = 1\n")
                .contains("daemon.toml: line 2: unknown field")
        );
        for (text, right) in [
            (
                "history_days = \"x\"",
                "it is from 7 to 3650: \"history_days = ",
            ),
            ("\nlisten = 9110", "line 2: "),
            ("listen = 9110", "an address and a port, such as"),
            ("listen = \"localhost:9110\"", "such as \"127.0.0.1:9110\""),
            (
                "hook_events = \"shift\"",
                "it is a list such as [\"shift\", ",
            ),
            ("standby = 1", "it is a table that begins with [standby]"),
            (
                "hook = 1",
                "line 1: invalid type: integer `1`, expected path string: \"hook = 1\"",
            ),
        ] {
            assert!(error(text).contains(right), "{}", error(text));
        }
        assert!(error("history_days = 5").contains("from 7 to 3650"));
        assert!(error("listen = \"0.0.0.0:9110\"").contains("no loopback address"));
        assert!(error("hook_events = [\"woke\"]").contains("woke"));
        assert!(error("hook = \"x\"").contains("a whole path"));
        assert!(error("mail = \"-X/etc/passwd\"").contains("one address"));
        assert!(error("mail = \"a b\"").contains("one address"));
        assert!(error("textfile = \"/a/b.txt\"").contains(".prom"));
        assert!(error("[standby]\n\"sda\" = \"hdparm\"").contains("no device"));
        assert!(error("[standby]\n\"/dev/sda\" = \"rm\"").contains("line 2"));
        assert!(error("listen = 1\nlisten = 2").contains("line 2"));
        let absent = Config::read(&SimSystem::new(), Some(Path::new("/x"))).unwrap_err();
        assert!(absent.is_absent());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_in_a_line(
            text in "(?s).*|((listen|hook|mail|history_days|\\[standby\\]|x)( ?= ?[\"0-9a-z:/\\[\\]]{0,9})?\n){0,4}",
        ) {
            if let Err(error) = read(&text) {
                prop_assert!(!error.to_string().trim_end().contains('\n'));
            }
        }
    }
}
