// SPDX-License-Identifier: GPL-2.0
//! Files, directories and links in memory.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

enum Node {
    File(String),
    Dir,
    Link(PathBuf),
}

#[derive(Default)]
pub struct Tree(BTreeMap<PathBuf, Node>);

/// More links than that one after another are a circle.
const LINKS: usize = 16;

impl Tree {
    /// With its directories; what was there is replaced.
    pub fn file(&mut self, path: impl AsRef<Path>, text: &str) {
        self.put(path.as_ref(), Node::File(text.to_owned()));
    }

    pub fn dir(&mut self, path: impl AsRef<Path>) {
        self.put(path.as_ref(), Node::Dir);
    }

    /// `to` is absolute.
    pub fn link(&mut self, path: impl AsRef<Path>, to: impl AsRef<Path>) {
        self.put(path.as_ref(), Node::Link(to.as_ref().to_owned()));
    }

    fn put(&mut self, path: &Path, node: Node) {
        for dir in path.ancestors().skip(1) {
            self.0.entry(dir.to_owned()).or_insert(Node::Dir);
        }
        self.0.insert(path.to_owned(), node);
    }

    /// With all that is in it.
    pub fn remove(&mut self, path: &Path) {
        self.0.retain(|known, _| !known.starts_with(path));
    }

    pub fn resolve(&self, path: &Path) -> PathBuf {
        let mut path = path.to_owned();
        for _ in 0..LINKS {
            match self.follow(&path) {
                Some(next) => path = next,
                None => break,
            }
        }
        path
    }

    /// One link, the one that is nearest to the root.
    fn follow(&self, path: &Path) -> Option<PathBuf> {
        let mut parts: Vec<_> = path.ancestors().collect();
        parts.reverse();
        parts.into_iter().find_map(|part| match self.0.get(part) {
            Some(Node::Link(to)) => Some(match path.strip_prefix(part) {
                Ok(rest) if !rest.as_os_str().is_empty() => to.join(rest),
                _ => to.clone(),
            }),
            _ => None,
        })
    }

    pub fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        match self.0.get(path) {
            Some(Node::Link(to)) => Ok(to.clone()),
            Some(_) => Err(io::ErrorKind::InvalidInput.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    pub fn exists(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }

    pub fn read(&self, path: &Path) -> io::Result<String> {
        match self.0.get(path) {
            Some(Node::File(text)) => Ok(text.clone()),
            Some(_) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    pub fn write(&mut self, path: &Path, text: &str) -> io::Result<()> {
        match self.0.get_mut(path) {
            Some(Node::File(old)) => {
                text.clone_into(old);
                Ok(())
            }
            Some(_) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    pub fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        if !self.exists(dir) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let inside = self.0.keys().filter(|path| path.parent() == Some(dir));
        Ok(inside
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect())
    }
}
