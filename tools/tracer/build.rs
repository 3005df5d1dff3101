// SPDX-License-Identifier: GPL-2.0
//! The version is the module's, as paradm's is.

#![allow(clippy::expect_used)] // what fails here fails the build

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let personality = here.join("../../drivers/md/raid-par/personality.c");
    let text = fs::read_to_string(&personality).expect("the module's personality.c");
    let version = text
        .lines()
        .find_map(|line| line.strip_prefix("MODULE_VERSION(\"")?.strip_suffix("\");"))
        .expect("a line MODULE_VERSION");
    println!("cargo:rustc-env=TRACER_VERSION={version}");
    println!("cargo:rerun-if-changed={}", personality.display());
}
