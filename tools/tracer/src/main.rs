// SPDX-License-Identifier: GPL-2.0

fn main() -> std::process::ExitCode {
    raid_tracer::cli::main()
}
