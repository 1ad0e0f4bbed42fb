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
        let excerpt =
            text.lines()
                .nth(line.saturating_sub(1))
                .map_or_else(String::new, |content| {
                    // A tab is one column but many wide: keep it, so that the mark stays under the fault.
                    let pad: String = content
                        .chars()
                        .take(column.saturating_sub(1))
                        .map(|c| if c == '\t' { '\t' } else { ' ' })
                        .collect();
                    let number = line.to_string();
                    let margin = " ".repeat(number.len());
                    format!("{number} | {content}\n{margin} | {pad}^")
                });
        Self {
            line,
            column,
            excerpt,
        }
    }
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
}
