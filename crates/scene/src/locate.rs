//! Line, column and excerpt for messages about a place in a text.

/// A place in a text, counted from 1, with an excerpt that points at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The line and a mark under the column; empty if the text has no such line.
    pub excerpt: String,
}

impl TextPlace {
    /// The place at a byte offset; past the end is the end.
    pub(crate) fn at_offset(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self::at(text, line, before[start..].chars().count() + 1)
    }

    /// The place at a line and a column, both from 1.
    pub(crate) fn at(text: &str, line: usize, column: usize) -> Self {
        let content = text.lines().nth(line.saturating_sub(1));
        let excerpt = content.map_or_else(String::new, |content| excerpt(content, line, column));
        Self {
            line,
            column,
            excerpt,
        }
    }
}

/// Characters of a line that an excerpt shows, and of these at most so many before the column: a file may be one line.
const SHOWN: usize = 160;
const BEFORE: usize = 80;

/// The line, or what is near the column of a long one, and a mark under the column.
fn excerpt(content: &str, line: usize, column: usize) -> String {
    let cut = content.chars().nth(SHOWN).is_some();
    let first = if cut {
        column.saturating_sub(BEFORE)
    } else {
        0
    };
    let near: String = content.chars().skip(first).take(SHOWN).collect();
    let (opening, closing) = (
        if first > 0 { "…" } else { "" },
        if content.chars().nth(first + SHOWN).is_some() {
            "…"
        } else {
            ""
        },
    );
    // A tab is one column but many wide: keep it, so that the mark stays under the fault.
    let before = opening.chars().chain(near.chars());
    let width = column.saturating_sub(1) - first + opening.chars().count();
    let pad: String = before
        .take(width)
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    format!("{number} | {opening}{near}{closing}\n{margin} | {pad}^")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_becomes_line_and_column() {
        let text = "a = 1\nbéta = x\n";
        let offset = text.find('x').expect("it is there");
        let place = TextPlace::at_offset(text, offset);
        assert_eq!((place.line, place.column), (2, 8));
        assert_eq!(place.excerpt, "2 | béta = x\n  |        ^");
        assert_eq!(TextPlace::at_offset(text, 999).line, 3);
    }

    #[test]
    fn of_a_long_line_what_is_near_is_shown() {
        let text = format!("{}x{}", "a".repeat(5000), "b".repeat(5000));
        let excerpt = TextPlace::at(&text, 1, 5001).excerpt;
        let (shown, mark) = excerpt.split_once('\n').expect("two lines");
        assert!(
            shown.starts_with("1 | …aaa") && shown.ends_with("bbb…"),
            "{shown}"
        );
        assert!(shown.chars().count() < 200);
        let place = |text: &str, c| text.chars().position(|x| x == c);
        assert_eq!(place(shown, 'x'), place(mark, '^'));
        let end = TextPlace::at(&text, 1, 10_001).excerpt;
        assert!(end.chars().count() < 400 && end.ends_with('^'), "{end}");
    }
}
