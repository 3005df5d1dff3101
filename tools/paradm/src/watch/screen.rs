// SPDX-License-Identifier: GPL-2.0
//! The terminal: entered and left in order, also by a panic; what is typed, and signals.

use crate::error::{Error, Result};
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::style::force_color_output;
use ratatui::crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::crossterm::{execute, queue};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::pipe;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The user has seen enough, or a signal says so.
    End,
    Scroll(Scroll),
    /// Do not wait, look now.
    Look,
    Resized,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scroll {
    Up(usize),
    Down(usize),
    ToTop,
    ToEnd,
}

impl Scroll {
    /// The first row that is shown then; more than there are is put right when it is drawn.
    pub fn from(self, top: usize) -> usize {
        match self {
            Scroll::Up(rows) => top.saturating_sub(rows),
            Scroll::Down(rows) => top.saturating_add(rows),
            Scroll::ToTop => 0,
            Scroll::ToEnd => usize::MAX,
        }
    }
}

/// What a page is; screens are often larger, and nobody loses the line.
const PAGE: usize = 10;

pub struct Screen {
    terminal: ratatui::DefaultTerminal,
    inputs: Receiver<io::Result<Input>>,
}

impl Screen {
    /// Everything from here on is on the other screen of the terminal, until this is dropped.
    pub fn open() -> Result<Self> {
        must_be_able()?;
        let (sender, inputs) = channel();
        follow_signals(sender.clone())?;
        // Whether there is colour is decided already, NO_COLOR included.
        force_color_output(true);
        // Its panic hook gives the terminal back, before the panic is told.
        let terminal = ratatui::try_init().map_err(|error| {
            ratatui::restore();
            unusable(&error.to_string())
        })?;
        thread::spawn(move || follow_keys(&sender));
        Ok(Screen { terminal, inputs })
    }

    /// Terminals that know how show it all at once.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame)) -> Result<()> {
        queue!(io::stdout(), BeginSynchronizedUpdate)?;
        self.terminal.draw(view)?;
        execute!(io::stdout(), EndSynchronizedUpdate)?;
        Ok(())
    }

    /// `None`: nothing for so long.
    pub fn input(&mut self, most: Duration) -> Result<Option<Input>> {
        match self.inputs.recv_timeout(most) {
            Ok(input) => Ok(Some(input?)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Ok(Some(Input::End)),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // By a panic the hook has done it; doing it twice would move the cursor to where it was.
        if !thread::panicking() {
            ratatui::restore();
        }
    }
}

pub fn no_terminal() -> Error {
    unusable("the output is none")
}

fn must_be_able() -> Result<()> {
    if std::env::var_os("TERM").is_some_and(|name| name == "dumb") {
        return Err(unusable("TERM=dumb says that it cannot move its cursor"));
    }
    Ok(())
}

fn unusable(reason: &str) -> Error {
    Error::Usage(format!(
        "status --watch needs a terminal: {reason}; without --watch, status tells once"
    ))
}

/// The process is told to end: the terminal is given back first.
fn follow_signals(sender: Sender<io::Result<Input>>) -> Result<()> {
    let (mut reader, writer) = UnixStream::pair()?;
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        pipe::register(signal, writer.try_clone()?)?;
    }
    thread::spawn(move || {
        let mut byte = [0];
        while reader.read(&mut byte).is_ok_and(|read| read > 0) {
            if sender.send(Ok(Input::End)).is_err() {
                break;
            }
        }
    });
    Ok(())
}

/// Until the terminal is gone.
fn follow_keys(sender: &Sender<io::Result<Input>>) {
    loop {
        let input = match event::read() {
            Ok(event) => input_of(&event).map(Ok),
            Err(error) => Some(Err(error)),
        };
        let Some(input) = input else { continue };
        let last = input.is_err();
        if sender.send(input).is_err() || last {
            break;
        }
    }
}

fn input_of(event: &Event) -> Option<Input> {
    match event {
        Event::Resize(..) => Some(Input::Resized),
        Event::Key(key) if key.kind == KeyEventKind::Press => input_of_key(key),
        _ => None,
    }
}

fn input_of_key(key: &KeyEvent) -> Option<Input> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c') if control => Input::End,
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => Input::End,
        KeyCode::Char('r' | ' ') => Input::Look,
        KeyCode::Up | KeyCode::Char('k') => Input::Scroll(Scroll::Up(1)),
        KeyCode::Down | KeyCode::Char('j') => Input::Scroll(Scroll::Down(1)),
        KeyCode::PageUp => Input::Scroll(Scroll::Up(PAGE)),
        KeyCode::PageDown => Input::Scroll(Scroll::Down(PAGE)),
        KeyCode::Home | KeyCode::Char('g') => Input::Scroll(Scroll::ToTop),
        KeyCode::End | KeyCode::Char('G') => Input::Scroll(Scroll::ToEnd),
        _ => return None,
    })
}
