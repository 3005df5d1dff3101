// SPDX-License-Identifier: GPL-2.0
//! `paradm status` for people.

use super::Status;
use crate::array::{Array, Member, PowerControl, PowerState, ShiftState};
use crate::output::{Align, Style, Table, Text};
use crate::output::{printable, units};

impl Text for Status {
    fn text(&self, style: Style) -> String {
        if self.arrays.is_empty() {
            return "no par array runs here\n".to_owned();
        }
        let texts: Vec<_> = self
            .arrays
            .iter()
            .map(|array| array_text(array, self.time, style))
            .collect();
        texts.join("\n")
    }
}

fn array_text(array: &Array, now: i64, style: Style) -> String {
    let mut text = format!(
        "{}: {} of {}, gear {} of {}, {}\n",
        style.bold(&array.name),
        array.layout(),
        units::bytes(array.bytes),
        style.bold(array.gear),
        array.top_gear(),
        state(array, style)
    );
    text += &format!("  {}\n", array.explain);
    if let Some(line) = shift_line(array) {
        text += &format!("  {line}\n");
    }
    text + &members(array, now, style).render("  ", style)
}

fn state(array: &Array, style: Style) -> String {
    if array.degraded > 0 {
        return style.bad(format!(
            "{} of {} members missing or not rebuilt",
            array.degraded,
            array.members.len()
        ));
    }
    let mut words = vec![style.good(&array.array_state)];
    if array.scrub.action != "idle" {
        words.push(style.attention(&array.scrub.action));
    }
    if array.scrub.mismatches > 0 {
        words.push(style.bad(format!("{} mismatches", array.scrub.mismatches)));
    }
    if array.resync_zones.is_some() {
        words.push(style.attention("resync"));
    }
    words.join(", ")
}

fn shift_line(array: &Array) -> Option<String> {
    let shift = &array.shift;
    let what = match shift.state {
        ShiftState::Idle if shift.put_off.is_some() => {
            return Some(format!(
                "shift to gear {} put off: no spin-ups left",
                shift.target
            ));
        }
        ShiftState::Idle => return None,
        ShiftState::Propagate => "propagating".to_owned(),
        ShiftState::Up => format!("shifting up to gear {}", shift.target),
        ShiftState::Down => format!("shifting down to gear {}", shift.target),
    };
    Some(match shift.progress {
        Some(progress) if progress.total > 0 => format!(
            "{what}: {} %",
            u128::from(progress.done) * 100 / u128::from(progress.total)
        ),
        _ => what,
    })
}

fn members(array: &Array, now: i64, style: Style) -> Table {
    let mut table = Table::new([
        ("member", Align::Right),
        ("disk", Align::Left),
        ("power", Align::Left),
        ("busy", Align::Right),
        ("spin-ups", Align::Right),
        ("left", Align::Right),
        ("last woken", Align::Right),
        ("by", Align::Left),
    ]);
    for member in &array.members {
        table.row([
            member.number.to_string(),
            disk(member, style),
            power(member, style),
            format!("{:.1} %", member.busy_percent),
            member.spin_ups.to_string(),
            member.spins_left.to_string(),
            woken(member, now),
            cause(member),
        ]);
    }
    table
}

fn disk(member: &Member, style: Style) -> String {
    match &member.device {
        None => style.bad("none"),
        Some(device) if device.state.contains("in_sync") => device.name.clone(),
        Some(device) => style.attention(format!("{} ({})", device.name, device.state)),
    }
}

fn power(member: &Member, style: Style) -> String {
    let logical = member.power_control == PowerControl::Logical;
    match member.power_state {
        PowerState::Active if member.asleep => style.attention("active, left out"),
        PowerState::Active => style.good("active"),
        PowerState::Waking => style.attention("waking"),
        PowerState::Asleep if logical => style.dim("left out"),
        PowerState::Asleep => style.dim("asleep"),
        PowerState::None => style.bad("none"),
    }
}

fn woken(member: &Member, now: i64) -> String {
    match member.last_wake {
        None => "-".to_owned(),
        Some(at) => {
            let ago = u64::try_from(now.saturating_sub(at)).unwrap_or(0);
            format!("{} ago", units::seconds(ago))
        }
    }
}

fn cause(member: &Member) -> String {
    match member.last_wake_cause.as_str() {
        "none" => String::new(),
        cause => printable(cause),
    }
}
