// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::error::Result;
use crate::policy::{self, Assignment, Policies, Preset, Presets};
use clap::Subcommand;

/// Show and change an array's settings, and those of its policy
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = false)]
pub struct Options {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show all settings, their defaults, and the preset that they match
    Show {
        /// Only this array: md0, /dev/md0 or a link to it
        array: Option<String>,
    },
    /// Change settings: all of them, or none
    ///
    /// The names are those of `paradm policy show`. Settings are stored with the array. With `policy=auto` or other
    /// limits, the array may shift up, which starts disks.
    Set {
        /// A setting and its new value, such as up_threshold=80
        #[arg(required = true, value_name = "NAME=VALUE")]
        settings: Vec<Assignment>,
        /// The array: md0, /dev/md0 or a link to it; needed if there are several
        #[arg(short, long, value_name = "ARRAY")]
        array: Option<String>,
    },
    /// Set a preset, with which the array shifts by itself; without a name: show what the presets set
    ///
    /// The array may shift up, which starts disks, when its load needs it.
    Preset {
        preset: Option<Preset>,
        /// The array: md0, /dev/md0 or a link to it; needed if there are several
        array: Option<String>,
    },
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let system = context.system;
    let set = |array: &Option<String>, wanted: &[Assignment]| {
        policy::change(system, array.as_deref(), wanted)
    };
    let output = &mut context.output;
    match &options.action {
        Action::Show { array } => {
            output.show("policy/1", &Policies::read(system, array.as_deref())?)
        }
        Action::Set { settings, array } => output.show("policy-set/1", &set(array, settings)?),
        Action::Preset {
            preset: Some(preset),
            array,
        } => output.show("policy-set/1", &set(array, &preset.assignments())?),
        Action::Preset { preset: None, .. } => output.show("policy-presets/1", &Presets::all()),
    }?;
    Ok(Verdict::Done)
}
