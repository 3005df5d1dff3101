// SPDX-License-Identifier: GPL-2.0
//! Prometheus' text format, version 0.0.4.

use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::rc::Rc;

fn shared<S: Serializer>(labels: &Rc<Labels>, serializer: S) -> Result<S::Ok, S::Error> {
    Labels::serialize(labels, serializer)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Counter,
    Gauge,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Number {
    Whole(u64),
    Fraction(f64),
}

impl From<u32> for Number {
    fn from(number: u32) -> Self {
        Number::Whole(number.into())
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Number::Whole(number)
    }
}

impl From<bool> for Number {
    fn from(is: bool) -> Self {
        Number::Whole(is.into())
    }
}

impl From<f64> for Number {
    fn from(number: f64) -> Self {
        Number::Fraction(number)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Whole(number) => number.fmt(f),
            Number::Fraction(number) => number.fmt(f),
        }
    }
}

pub type Labels = BTreeMap<&'static str, String>;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sample {
    /// Many samples have the same: they share them.
    #[serde(serialize_with = "shared")]
    pub labels: Rc<Labels>,
    pub value: Number,
}

/// A metric, with its samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Family {
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
    pub samples: Vec<Sample>,
}

impl Family {
    pub fn new(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Family {
            name,
            kind,
            help,
            samples: Vec::new(),
        }
    }

    pub fn add(&mut self, labels: &Rc<Labels>, value: impl Into<Number>) {
        self.samples.push(Sample {
            labels: Rc::clone(labels),
            value: value.into(),
        });
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
        };
        writeln!(f, "# HELP {} {}", self.name, self.help)?;
        writeln!(f, "# TYPE {} {kind}", self.name)?;
        for sample in &self.samples {
            f.write_str(self.name)?;
            let mut before = '{';
            for (name, value) in sample.labels.iter() {
                write!(f, "{before}{name}=\"")?;
                escape(f, value)?;
                f.write_char('"')?;
                before = ',';
            }
            writeln!(f, "}} {}", sample.value)?;
        }
        Ok(())
    }
}

/// In pieces as long as can be: a system has thousands of samples.
fn escape(to: &mut impl Write, value: &str) -> fmt::Result {
    let special = ['\\', '"', '\n'];
    let mut rest = value;
    while let Some((plain, after)) = rest.find(special).and_then(|at| rest.split_at_checked(at)) {
        to.write_str(plain)?;
        let mut chars = after.chars();
        to.write_str(match chars.next() {
            Some('\\') => r"\\",
            Some('"') => "\\\"",
            _ => r"\n",
        })?;
        rest = chars.as_str();
    }
    to.write_str(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As a reader undoes it.
    fn unescaped(text: &str) -> Option<String> {
        let (mut plain, mut chars) = (String::new(), text.chars());
        while let Some(c) = chars.next() {
            match c {
                '"' | '\n' => return None,
                '\\' => match chars.next()? {
                    'n' => plain.push('\n'),
                    c @ ('\\' | '"') => plain.push(c),
                    _ => return None,
                },
                c => plain.push(c),
            }
        }
        Some(plain)
    }

    proptest! {
        #[test]
        fn any_label_is_read_as_it_was(value in "(?s).*|[\\\\\"\n a]*") {
            let mut text = String::new();
            escape(&mut text, &value).unwrap();
            prop_assert_eq!(unescaped(&text), Some(value));
        }
    }

    #[test]
    fn a_family_has_its_help_type_and_samples() {
        let mut family = Family::new("par_busy_ratio", Kind::Gauge, "How busy.");
        family.add(
            &Rc::new(Labels::from([
                ("disk", "a\"b".to_owned()),
                ("array", "md0".to_owned()),
            ])),
            0.25,
        );
        let labels = Labels::from([("disk", "c".to_owned())]);
        family.add(&Rc::new(labels), u64::MAX);
        assert_eq!(
            family.to_string(),
            "# HELP par_busy_ratio How busy.\n# TYPE par_busy_ratio gauge\n\
             par_busy_ratio{array=\"md0\",disk=\"a\\\"b\"} 0.25\n\
             par_busy_ratio{disk=\"c\"} 18446744073709551615\n"
        );
    }
}
