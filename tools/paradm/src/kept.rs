// SPDX-License-Identifier: GPL-2.0
//! What paradm keeps in a file of its own between two runs: a document that is read and replaced as a whole.

use crate::error::{Error, Result};
use crate::system::{Files, System};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::any::Any;
use std::path::Path;

pub struct Kept {
    pub file: &'static str,
    pub lock: &'static str,
    /// For messages: "the pins".
    pub name: &'static str,
    /// What the file should have been.
    pub wanted: &'static str,
}

impl Kept {
    /// The document, empty if there is no file.
    pub fn load<D: DeserializeOwned + Default>(&self, system: &dyn System) -> Result<D> {
        let path = Path::new(self.file);
        if !system.exists(path) {
            return Ok(D::default());
        }
        let text = system.text(path)?;
        serde_json::from_str(&text).map_err(|error| Error::Parse {
            path: path.to_owned(),
            got: error.to_string(),
            wanted: self.wanted,
        })
    }

    /// Without a document the file goes.
    pub fn save<D: Serialize>(&self, system: &dyn System, document: Option<&D>) -> Result<()> {
        let path = Path::new(self.file);
        let result = match document {
            None => system.remove(path),
            Some(document) => {
                let text = serde_json::to_string(document).map_err(std::io::Error::other)?;
                system.replace(path, &(text + "\n"))
            }
        };
        result.map_err(|error| Error::write(path, self.name, &error))
    }

    /// Until the guard is dropped, nobody else changes the document.
    pub fn lock(&self, system: &dyn System) -> Result<Box<dyn Any>> {
        let path = Path::new(self.lock);
        system
            .lock(path)
            .map_err(|error| Error::write(path, "a lock", &error))
    }
}
