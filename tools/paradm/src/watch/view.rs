// SPDX-License-Identifier: GPL-2.0
//! The rows of the view, and those of them that are on the screen.

use super::{Watch, load, members, shifts::Seen};
use crate::array::{Array, Log, Progress, Slots};
use crate::output::{self, Tone, Word, units};
use crate::status::words;
use jiff::{Timestamp, tz::TimeZone};
use ratatui::Frame;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

type Row = Vec<Word>;

/// Rows of the arrays are indented by that.
const INDENT: &str = "  ";
/// A name before what it is: `load`, `shifts`.
const NAME: usize = 13;
/// What a load is of, and what is to be said of it.
const WHAT: usize = 15;
const NOTE: usize = 18;
/// On a screen narrower than that nothing is aligned.
const ALIGNED: usize = 60;
const BAR: usize = 40;
/// A shorter bar tells nothing.
const BAR_LEAST: usize = 10;
/// The newest shifts, by number.
const SHIFTS: usize = 8;
/// A screen lower than that has no foot.
const WITH_FOOT: u16 = 3;

pub fn draw(watch: &mut Watch, style: output::Style, frame: &mut Frame) {
    let mut area = frame.area();
    let width = usize::from(area.width);
    let rows = rows(watch, width);
    let mut foot_area = area;
    let has_foot = area.height >= WITH_FOOT;
    if has_foot {
        area.height -= 1;
        foot_area.y = area.bottom();
        foot_area.height = 1;
    }
    let height = usize::from(area.height);
    watch.top = watch.top.min(rows.len().saturating_sub(height));
    let shown = rows.iter().skip(watch.top).take(height);
    let lines: Vec<_> = shown.map(|row| line(row, style)).collect();
    frame.render_widget(Paragraph::new(lines), area);
    if has_foot {
        let foot = foot(watch, rows.len(), height);
        frame.render_widget(Paragraph::new(line(&foot, style)), foot_area);
    }
}

/// ratatui hands some control characters on to the terminal (0.29, those above U+0080).
fn line(row: &[Word], style: output::Style) -> Line<'static> {
    let spans = row
        .iter()
        .map(|word| Span::styled(output::printable(&word.text), colours(word.tone, style)));
    Line::from_iter(spans)
}

/// As `output::Style` has them.
fn colours(tone: Tone, style: output::Style) -> Style {
    let plain = Style::new();
    if !style.color {
        return plain;
    }
    match tone {
        Tone::Plain => plain,
        Tone::Bold => plain.add_modifier(Modifier::BOLD),
        Tone::Dim => plain.add_modifier(Modifier::DIM),
        Tone::Good => plain.fg(Color::Green),
        Tone::Attention => plain.fg(Color::Yellow),
        Tone::Bad => plain.fg(Color::Red),
    }
}

fn foot(watch: &Watch, rows: usize, height: usize) -> Row {
    let mut text = "q: end   ".to_owned();
    if rows > height {
        let last = (watch.top + height).min(rows);
        text += &format!("arrows: rows {}-{last} of {rows}   ", watch.top + 1);
    }
    text += &clock(watch.time, &watch.zone, "%Y-%m-%d %H:%M:%S %Z");
    text += &format!(", every {}", units::seconds(watch.every.as_secs()));
    vec![Tone::Dim.word(text)]
}

fn rows(watch: &Watch, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(trouble) = &watch.trouble {
        rows.extend(wrapped(trouble, width, "", Tone::Bad));
    } else if watch.arrays.is_empty() {
        rows.push(vec![Tone::Plain.word("no par array runs here")]);
    }
    for array in &watch.arrays {
        if !rows.is_empty() {
            rows.push(Vec::new());
        }
        rows.extend(array_rows(array, watch, width));
    }
    rows
}

fn array_rows(array: &Array, watch: &Watch, width: usize) -> Vec<Row> {
    let mut rows = vec![words::head(array)];
    rows.push(load_row("load", &load::present(array), width));
    if let Some(lower) = load::lower(array) {
        rows.push(load_row("", &lower, width));
    }
    rows.extend(wrapped(&array.explain, width, INDENT, Tone::Plain));
    if let Some(what) = words::shift(array) {
        rows.push(progress_row("shift", &what, array.shift.progress, width));
    }
    if let Some((done, total)) = array.scrub.completed {
        let progress = Progress { done, total };
        rows.push(progress_row(&array.scrub.action, "", Some(progress), width));
    }
    rows.push(named("propagation", &propagation(array), width));
    if let Some(log) = &array.log {
        rows.extend(log_rows(log, width));
    }
    if let Some(slots) = &array.slots {
        let slots = named_text("slots", &slots_text(slots), width);
        rows.extend(wrapped(&slots, width, INDENT, Tone::Plain));
    }
    let shifts = named_text("shifts", &shifts(array, watch), width);
    rows.extend(wrapped(&shifts, width, INDENT, Tone::Plain));
    rows.extend(members::table(&array.members, watch.time, width));
    rows
}

fn named_text(name: &str, text: &str, width: usize) -> String {
    if width < ALIGNED {
        let gap = if name.is_empty() { "" } else { " " };
        return format!("{name}{gap}{text}");
    }
    format!("{name:NAME$}{text}")
}

fn named(name: &str, text: &str, width: usize) -> Row {
    vec![Tone::Plain.word(INDENT.to_owned() + &named_text(name, text, width))]
}

fn load_row(name: &str, load: &load::Against, width: usize) -> Row {
    if width < ALIGNED {
        let text = format!("{} {:.1} %, {}", load.what, load.percent, load.note);
        return named("", &text, width);
    }
    let text = format!("{:WHAT$}{:6.1} %", load.what, load.percent);
    let room = width.saturating_sub(INDENT.len() + NAME + text.len() + 4 + NOTE);
    let bar = match room.min(BAR) {
        0..BAR_LEAST => String::new(),
        cells => load::bar(load.percent, load.mark, cells) + "  ",
    };
    named(name, &format!("{text}  {bar}{}", load.note), width)
}

fn progress_row(name: &str, what: &str, progress: Option<Progress>, width: usize) -> Row {
    let Some(percent) = progress.and_then(Progress::percent) else {
        return named(name, what, width);
    };
    let gap = if what.is_empty() { "" } else { "  " };
    let text = format!("{what}{gap}{percent} %");
    let room = width.saturating_sub(INDENT.len() + NAME + text.len() + 2);
    let cells = room.min(BAR);
    if cells < BAR_LEAST {
        return named(name, &text, width);
    }
    let done = f64::from(u32::try_from(percent).unwrap_or(100));
    let bar = load::bar(done, None, cells);
    named(name, &format!("{text}  {bar}"), width)
}

fn propagation(array: &Array) -> String {
    let segments = &array.segments;
    let bytes = |count: u64| units::bytes(count.saturating_mul(segments.kib).saturating_mul(1024));
    match (segments.home, segments.image) {
        (0, 0) => "nothing to copy".to_owned(),
        (home, 0) => format!(
            "{} to copy before gear {}",
            bytes(home),
            array.lowest_gear()
        ),
        (0, image) => format!("{} to copy home", bytes(image)),
        (home, image) => format!(
            "{} to copy before gear {}, {} home",
            bytes(home),
            array.lowest_gear(),
            bytes(image)
        ),
    }
}

/// How full it is; and below it what is wrong with it.
fn log_rows(log: &Log, width: usize) -> Vec<Row> {
    let what = format!("{}, {}", log.state.name(), units::bytes(log.bytes));
    let mut rows = vec![progress_row("log", &what, Some(log.filled()), width)];
    for trouble in words::log_troubles(log) {
        rows.extend(wrapped(
            &named_text("", &trouble.text, width),
            width,
            INDENT,
            trouble.tone,
        ));
    }
    rows
}

/// Hits and misses are those of gears in which members sleep.
fn slots_text(slots: &Slots) -> String {
    let hits = slots
        .by_gear
        .iter()
        .fold(0_u64, |sum, gear| sum.saturating_add(gear.hits));
    format!(
        "{} free of {}, images of {} %; {}, {}",
        slots.free,
        slots.total,
        slots.share_percent,
        units::count(hits, "hit"),
        words::misses(slots)
    )
}

/// The newest first: `07:40 down to 3, 07:12 up to 5`.
fn shifts(array: &Array, watch: &Watch) -> String {
    let time = match watch.shifts.since(watch.time) {
        Some(since) => format!("since {}", clock(since, &watch.zone, "%H:%M")),
        None => "in the last day".to_owned(),
    };
    let seen: Vec<_> = watch.shifts.of(&array.name).collect();
    if seen.is_empty() {
        let count = array.shift.count;
        return format!("none seen {time}; {count} since the array was started");
    }
    let newest = seen.iter().take(SHIFTS);
    let mut texts: Vec<_> = newest.map(|one| shift(one, &watch.zone)).collect();
    if seen.len() > SHIFTS {
        texts.push(format!("and {} more {time}", seen.len() - SHIFTS));
    }
    texts.join(", ")
}

fn shift(seen: &Seen, zone: &TimeZone) -> String {
    let time = clock(seen.time, zone, "%H:%M");
    let times = match seen.count {
        1 => String::new(),
        count => format!(" in {count} shifts"),
    };
    let to = seen.to;
    let way = match seen.from {
        None => "to",
        Some(from) if from < to => "up to",
        Some(from) if from > to => "down to",
        Some(_) => "back to",
    };
    format!("{time} {way} {to}{times}")
}

fn wrapped(text: &str, width: usize, indent: &str, tone: Tone) -> Vec<Row> {
    let options = textwrap::Options::new(width.max(1))
        .initial_indent(indent)
        .subsequent_indent(indent);
    textwrap::wrap(text, options)
        .into_iter()
        .map(|line| vec![tone.word(line)])
        .collect()
}

/// On the administrator's clock.
fn clock(seconds: i64, zone: &TimeZone, form: &str) -> String {
    let time = Timestamp::from_second(seconds);
    time.map(|time| {
        let time = time.to_zoned_datetime(zone.clone());
        time.strftime(form).to_string()
    })
    .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{SimArray, SimSlots, SimSystem};
    use crate::system::System;
    use crate::watch::{Options, screen::Scroll};
    use proptest::prelude::*;
    use ratatui::{Terminal, backend::TestBackend};
    use std::path::PathBuf;
    use std::time::Duration;

    fn system() -> SimSystem {
        let mut array = SimArray::new("md0", &[2, 3]).in_gear(2);
        array.slots = Some(SimSlots::tenth());
        SimSystem::with([array])
    }

    fn watch(sim: &SimSystem) -> Watch {
        let options = Options {
            array: None,
            every: Duration::from_secs(2),
            style: output::Style { color: true },
        };
        Watch::new(sim, &options).unwrap()
    }

    fn files() -> Vec<PathBuf> {
        let sim = system();
        watch(&sim);
        sim.world().read.keys().cloned().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn whatever_the_files_hold_is_drawn_on_any_screen(
            at in any::<prop::sample::Index>(),
            text in "[0-9]{0,22}|[a-z\u{1b}\u{9b}\u{4e00}\u{202e} \\[]{0,40}|.*",
            (width, height) in (0u16..140, 0u16..40),
            scrolls in prop::collection::vec(0usize..60, 0..3),
        ) {
            thread_local!(static FILES: Vec<PathBuf> = files());
            let path = FILES.with(|files| at.get(files).clone());
            let sim = system();
            let mut watch = watch(&sim);
            sim.world().spoil(&path, &text);
            sim.sleep(Duration::from_secs(90_000));
            watch.look(&sim).unwrap();
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            let style = output::Style { color: true };
            for rows in scrolls {
                watch.top = Scroll::Down(rows).from(watch.top);
                terminal.draw(|frame| draw(&mut watch, style, frame)).unwrap();
            }
            for cell in &terminal.backend().buffer().content {
                prop_assert!(!cell.symbol().contains(char::is_control), "{:?}", cell.symbol());
            }
        }
    }
}
