// SPDX-License-Identifier: GPL-2.0
//! Text of others, which a terminal shows.

/// A name that others have chosen, of a process or a file: a control character would forge a line, or
/// move the terminal's cursor.
pub fn printable(name: &str) -> String {
    let shown = |c: char| if c.is_control() { '?' } else { c };
    name.chars().map(shown).collect()
}

/// What is wrong, in a line: of what was given, too much to read is left out of the middle.
pub fn line(text: &str) -> String {
    const FIRST: usize = 1000;
    const LAST: usize = 400;
    let text = printable(text);
    let count = text.chars().count();
    if count <= FIRST + LAST {
        return text;
    }
    let first: String = text.chars().take(FIRST).collect();
    let last: String = text.chars().skip(count - LAST).collect();
    format!("{first} … {last}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_work_the_terminal() {
        assert_eq!(printable("a\n\x1b[2J\u{9b}b\tgrün"), "a??[2J?b?grün");
    }

    #[test]
    fn a_line_has_both_of_its_ends() {
        let plain = "x".repeat(1400);
        assert_eq!(line(&plain), plain);
        let long = line(&format!("no array\n{}: there is md0", "ü".repeat(100_000)));
        assert!(long.starts_with("no array?ü") && long.ends_with("ü: there is md0"));
        assert_eq!(long.chars().count(), 1403);
    }
}
