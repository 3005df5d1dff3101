// SPDX-License-Identifier: GPL-2.0
//! Files as bytes: opened, decompressed, read line by line.

use crate::error::{Error, Result};
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

pub type Bytes = Box<dyn BufRead>;

/// Longer ones are rows of nothing.
const LONGEST_LINE: u64 = 64 << 10;
const BUFFER: usize = 256 << 10;

/// `-` is standard input. Compressed content is known by its first bytes, whatever the name is.
pub fn open(path: &Path) -> Result<Bytes> {
    let plain: Bytes = if path == Path::new("-") {
        Box::new(BufReader::with_capacity(BUFFER, io::stdin()))
    } else {
        let file = File::open(path).map_err(|error| Error::read(path, error))?;
        let regular = file.metadata().map_err(|error| Error::read(path, error))?;
        if regular.is_dir() {
            return Err(Error::Usage(format!(
                "{} is a directory: trace info lists the traces in it",
                path.display()
            )));
        }
        Box::new(BufReader::with_capacity(BUFFER, file))
    };
    decoded(plain).map_err(|error| Error::read(path, error))
}

/// What is in it, if it is compressed.
pub fn decoded(mut plain: Bytes) -> io::Result<Bytes> {
    let head = plain.fill_buf()?;
    let decoder: Box<dyn Read> = match head {
        [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(plain)),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Box::new(XzReader::new(plain, true)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Box::new(Frames::new(plain)),
        _ => return Ok(plain),
    };
    Ok(Box::new(BufReader::with_capacity(BUFFER, decoder)))
}

/// Zstandard: one frame after the other. The decoder ends with its frame.
struct Frames {
    decoder: Option<StreamingDecoder<Bytes, FrameDecoder>>,
    rest: Option<Bytes>,
}

impl Frames {
    fn new(bytes: Bytes) -> Self {
        Frames {
            decoder: None,
            rest: Some(bytes),
        }
    }
}

impl Read for Frames {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(decoder) = &mut self.decoder {
                let got = decoder.read(to)?;
                if got > 0 || to.is_empty() {
                    return Ok(got);
                }
                self.rest = self.decoder.take().map(StreamingDecoder::into_inner);
            }
            let Some(mut bytes) = self.rest.take() else {
                return Ok(0);
            };
            if bytes.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.decoder = Some(StreamingDecoder::new(bytes).map_err(io::Error::other)?);
        }
    }
}

/// Lines with their numbers, from 1.
pub struct Lines {
    bytes: Bytes,
    line: Vec<u8>,
    number: u64,
}

/// A line that is not text.
pub struct NoText(pub &'static str);

impl Lines {
    pub fn new(bytes: Bytes) -> Self {
        Lines {
            bytes,
            line: Vec::new(),
            number: 0,
        }
    }

    /// The next line that is not blank, without its end.
    pub fn next(&mut self) -> io::Result<Option<(u64, std::result::Result<&str, NoText>)>> {
        loop {
            self.line.clear();
            let mut bytes = (&mut self.bytes).take(LONGEST_LINE);
            if bytes.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.line.last() != Some(&b'\n') && !self.bytes.fill_buf()?.is_empty() {
                self.skip()?;
                return Ok(Some((self.number, Err(NoText("it has more than 64 KiB")))));
            }
            if !self.line.iter().all(u8::is_ascii_whitespace) {
                break;
            }
        }
        let text = std::str::from_utf8(&self.line).map(str::trim);
        Ok(Some((
            self.number,
            text.map_err(|_| NoText("it is not text")),
        )))
    }

    /// To the end of a line.
    fn skip(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.bytes.fill_buf()?;
            let (used, ended) = match buffer.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (buffer.len(), buffer.is_empty()),
            };
            self.bytes.consume(used);
            if ended {
                return Ok(());
            }
        }
    }
}
