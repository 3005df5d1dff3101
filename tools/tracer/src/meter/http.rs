// SPDX-License-Identifier: GPL-2.0
//! Plugs that say in JSON, by HTTP, what they measure: those of Shelly, and those with Tasmota's firmware.

use super::{Reading, Spec};
use serde_json::Value;
use std::io::Read;

type Readings = Result<Vec<Reading>, String>;

/// Larger answers are no plug's.
const MOST_BYTES: u64 = 1 << 20;
const TIMEOUT_S: u64 = 5;

fn get(host: &str, path: &str) -> Result<Value, String> {
    let failed = |error: minreq::Error| format!("it does not answer: {error}");
    let answer = minreq::get(format!("http://{host}{path}"))
        .with_timeout(TIMEOUT_S)
        .send_lazy()
        .map_err(failed)?;
    // That of minreq for an answer without a status.
    if answer.reason_phrase == "Server did not provide a status line" {
        return Err("it does not answer".to_owned());
    }
    if answer.status_code != 200 {
        return Err(format!(
            "it answers {} {}",
            answer.status_code, answer.reason_phrase
        ));
    }
    let mut text = String::new();
    let read = answer.take(MOST_BYTES).read_to_string(&mut text);
    read.map_err(|error| format!("it does not answer: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("its answer is no JSON: {error}"))
}

/// A number, of `field`. What is there and no number is an error.
fn number(of: &Value, field: &str) -> Result<Option<f64>, String> {
    match of.get(field) {
        None => Ok(None),
        Some(value) => match value.as_f64() {
            Some(number) => Ok(Some(number)),
            None => Err(format!("{field} is {value}, and no number")),
        },
    }
}

pub struct Shelly {
    host: String,
    /// 1, or 2 for all later ones; `None`: not known yet.
    generation: Option<u8>,
}

impl Shelly {
    pub fn new(spec: &mut Spec) -> Result<Self, String> {
        Ok(Shelly {
            host: spec.needs_place("HOST")?,
            generation: None,
        })
    }

    /// `meters` and `emeters`: power in W, and of the latter voltage and current.
    fn first(status: &Value) -> Readings {
        let mut readings = Vec::new();
        for kind in ["meters", "emeters"] {
            let meters = status.get(kind).and_then(Value::as_array);
            for (n, meter) in meters.into_iter().flatten().enumerate() {
                // What is not valid has not been measured.
                if meter.get("is_valid") == Some(&Value::Bool(false)) {
                    continue;
                }
                readings.push(Reading {
                    channel: format!("{}:{n}", kind.trim_end_matches('s')),
                    volts: number(meter, "voltage")?,
                    amperes: number(meter, "current")?,
                    watts: number(meter, "power")?,
                    ..Reading::default()
                });
            }
        }
        Ok(readings)
    }

    /// Components `switch:0`, `pm1:0` and others with `apower`; `em1:0` with `act_power`; `em:0` with three phases.
    fn later(status: &Value) -> Readings {
        let mut readings = Vec::new();
        for (name, component) in status.as_object().into_iter().flatten() {
            let mut add = |channel: String, phase: &str, power: &str| -> Result<(), String> {
                let Some(watts) = number(component, &format!("{phase}{power}"))? else {
                    return Ok(());
                };
                readings.push(Reading {
                    channel,
                    volts: number(component, &format!("{phase}voltage"))?,
                    amperes: number(component, &format!("{phase}current"))?,
                    watts: Some(watts),
                    ..Reading::default()
                });
                Ok(())
            };
            add(name.clone(), "", "apower")?;
            add(name.clone(), "", "act_power")?;
            for phase in ["a", "b", "c"] {
                let prefix = format!("{phase}_");
                add(format!("{name}.{phase}"), &prefix, "act_power")?;
            }
        }
        Ok(readings)
    }
}

impl super::Source for Shelly {
    fn read(&mut self) -> Readings {
        let generation = match self.generation {
            Some(generation) => generation,
            None => {
                let is = get(&self.host, "/shelly")?;
                if is.get("gen").and_then(Value::as_u64).unwrap_or(1) >= 2 {
                    2
                } else {
                    1
                }
            }
        };
        self.generation = Some(generation);
        let readings = match generation {
            1 => Self::first(&get(&self.host, "/status")?)?,
            _ => Self::later(&get(&self.host, "/rpc/Shelly.GetStatus")?)?,
        };
        some(readings)
    }
}

fn some(readings: Vec<Reading>) -> Readings {
    if readings.is_empty() {
        return Err("it says no watts: does it measure power?".to_owned());
    }
    Ok(readings)
}

pub struct Tasmota {
    host: String,
}

impl Tasmota {
    pub fn new(spec: &mut Spec) -> Result<Self, String> {
        Ok(Tasmota {
            host: spec.needs_place("HOST")?,
        })
    }

    /// `Power`, `Voltage` and `Current` are numbers, or lists if there are several channels; of one voltage for all of
    /// them there is a single number.
    fn readings(energy: &Value) -> Readings {
        let count = match energy.get("Power") {
            Some(Value::Array(all)) => all.len(),
            Some(_) => 1,
            None => 0,
        };
        let of = |field: &str, n: usize| -> Result<Option<f64>, String> {
            match energy.get(field).and_then(Value::as_array) {
                Some(all) => match all.get(n) {
                    None => Ok(None),
                    Some(value) => value
                        .as_f64()
                        .map(Some)
                        .ok_or_else(|| format!("{field} is {value}, and no number")),
                },
                None => number(energy, field),
            }
        };
        let mut readings = Vec::new();
        for n in 0..count {
            readings.push(Reading {
                channel: n.to_string(),
                volts: of("Voltage", n)?,
                amperes: of("Current", n)?,
                watts: of("Power", n)?,
                ..Reading::default()
            });
        }
        Ok(readings)
    }
}

impl super::Source for Tasmota {
    fn read(&mut self) -> Readings {
        let status = get(&self.host, "/cm?cmnd=Status%2010")?;
        let energy = status
            .get("StatusSNS")
            .and_then(|status| status.get("ENERGY"));
        some(match energy {
            Some(energy) => Self::readings(energy)?,
            None => Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    type Said = (String, Option<f64>, Option<f64>, Option<f64>);

    fn said(readings: Readings) -> Vec<Said> {
        let readings = readings.unwrap().into_iter();
        readings
            .map(|one| (one.channel, one.volts, one.amperes, one.watts))
            .collect()
    }

    #[test]
    fn plugs_of_shelly() {
        let plug = json!({"meters": [{"power": 2.21, "is_valid": true, "total": 439237},
                                     {"power": 0, "is_valid": false}], "uptime": 7});
        assert_eq!(
            said(Shelly::first(&plug)),
            [("meter:0".to_owned(), None, None, Some(2.21))]
        );
        let phases = json!({"emeters": [{"power": 10.66, "current": 0.08, "voltage": 232.06}]});
        assert_eq!(
            said(Shelly::first(&phases)),
            [("emeter:0".to_owned(), Some(232.06), Some(0.08), Some(10.66))]
        );
        let plus = json!({"switch:0": {"id": 0, "apower": 8.9, "voltage": 237.5, "current": 0.04}, "sys": {}});
        assert_eq!(
            said(Shelly::later(&plus)),
            [("switch:0".to_owned(), Some(237.5), Some(0.04), Some(8.9))]
        );
        let pro = json!({"em1:0": {"act_power": 501.8, "voltage": 234.9, "current": 2.598},
                         "em:0": {"a_act_power": 1, "a_voltage": 230, "a_current": 0.5, "b_act_power": 2}});
        let names: Vec<_> = said(Shelly::later(&pro))
            .into_iter()
            .map(|one| (one.0, one.3.unwrap()))
            .collect();
        let wanted = [("em1:0", 501.8), ("em:0.a", 1.0), ("em:0.b", 2.0)];
        assert_eq!(names, wanted.map(|(name, watts)| (name.to_owned(), watts)));
        let error = Shelly::later(&json!({"switch:0": {"apower": "nan"}})).unwrap_err();
        assert!(
            error.contains("apower is \"nan\", and no number"),
            "{error}"
        );
        assert!(Shelly::first(&json!({"meters": [{"power": null}]})).is_err());
    }

    #[test]
    fn plugs_of_tasmota() {
        let one = json!({"Total": 0.52, "Power": 27, "Voltage": 234, "Current": 0.122});
        assert_eq!(
            said(Tasmota::readings(&one)),
            [("0".to_owned(), Some(234.0), Some(0.122), Some(27.0))]
        );
        let two = json!({"Power": [27, 3], "Voltage": 234, "Current": [0.122, 0.01]});
        assert_eq!(
            said(Tasmota::readings(&two)),
            [
                ("0".to_owned(), Some(234.0), Some(0.122), Some(27.0)),
                ("1".to_owned(), Some(234.0), Some(0.01), Some(3.0))
            ]
        );
        assert!(Tasmota::readings(&json!({"Power": [null]})).is_err());
    }
}
