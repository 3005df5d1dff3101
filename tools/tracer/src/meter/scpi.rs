// SPDX-License-Identifier: GPL-2.0
//! Power supplies and analyzers that speak SCPI over TCP: a query is a line, and so is its answer.

use super::{Reading, Spec};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

const PORT: u16 = 5025;
const TIMEOUT: Duration = Duration::from_secs(5);
/// Longer lines are no numbers.
const MOST_BYTES: u64 = 4096;

pub struct Scpi {
    host: String,
    /// Of W, V and A; `%c` stands for the channel.
    watts: Option<String>,
    volts: Option<String>,
    amperes: Option<String>,
    channels: Vec<String>,
    stream: Option<BufReader<TcpStream>>,
}

impl Scpi {
    pub fn new(spec: &mut Spec) -> Result<Self, String> {
        let place = spec.needs_place("HOST")?;
        let has_port = place
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let [mut watts, volts, amperes] = ["watts", "volts", "amperes"].map(|key| spec.take(key));
        if watts.is_none() && (volts.is_none() || amperes.is_none()) {
            if volts.is_some() || amperes.is_some() {
                return Err("it needs watts, or both volts and amperes".to_owned());
            }
            watts = Some("MEAS:POW?".to_owned());
        }
        let channels = spec.list("channels").unwrap_or(vec!["1".to_owned()]);
        let queries = [&watts, &volts, &amperes];
        let all_say = queries.into_iter().flatten().all(|q| q.contains("%c"));
        if channels.len() > 1 && !all_say {
            return Err("of several channels, each query needs %c for the channel".to_owned());
        }
        Ok(Scpi {
            host: if has_port {
                place
            } else {
                format!("{place}:{PORT}")
            },
            watts,
            volts,
            amperes,
            channels,
            stream: None,
        })
    }

    fn connect(&self) -> std::io::Result<BufReader<TcpStream>> {
        let mut last = std::io::Error::other("its name has no address");
        for address in self.host.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, TIMEOUT) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(TIMEOUT))?;
                    stream.set_write_timeout(Some(TIMEOUT))?;
                    stream.set_nodelay(true)?;
                    return Ok(BufReader::new(stream));
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn ask(stream: &mut BufReader<TcpStream>, query: &str) -> Result<f64, String> {
        let failed = |error| format!("it does not answer {query}: {error}");
        let line = format!("{query}\n");
        stream
            .get_mut()
            .write_all(line.as_bytes())
            .map_err(failed)?;
        let mut answer = String::new();
        stream
            .by_ref()
            .take(MOST_BYTES)
            .read_line(&mut answer)
            .map_err(failed)?;
        if !answer.ends_with('\n') {
            return Err(format!("it does not answer {query}"));
        }
        // A unit may follow.
        let number = answer.trim().trim_end_matches(['W', 'V', 'A', ' ']);
        number
            .parse()
            .map_err(|_| format!("it answers {query} with {:?}", answer.trim()))
    }

    fn all(&self, stream: &mut BufReader<TcpStream>) -> Result<Vec<Reading>, String> {
        let mut readings = Vec::new();
        for channel in &self.channels {
            let mut ask = |query: &Option<String>| match query {
                Some(query) => Self::ask(stream, &query.replace("%c", channel)).map(Some),
                None => Ok(None),
            };
            readings.push(Reading {
                channel: channel.clone(),
                volts: ask(&self.volts)?,
                amperes: ask(&self.amperes)?,
                watts: ask(&self.watts)?,
                ..Reading::default()
            });
        }
        Ok(readings)
    }
}

impl super::Source for Scpi {
    fn read(&mut self) -> Result<Vec<Reading>, String> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => self
                .connect()
                .map_err(|error| format!("it does not answer: {error}"))?,
        };
        // After an error an old answer may be under way: the next one connects anew.
        let readings = self.all(&mut stream)?;
        self.stream = Some(stream);
        Ok(readings)
    }
}
