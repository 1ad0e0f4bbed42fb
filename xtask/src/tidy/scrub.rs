//! Rust text with its comments and literals blanked, so that a rule about code is not fooled by prose.
//!
//! A scanner, not a parser: it knows line and nested block comments, plain and raw strings, characters and lifetimes.
//! Every byte keeps its place, so an offset in the scrubbed text is an offset in the original.

/// `text` with comments and the contents of literals replaced by blanks. Quotes and line ends stay.
pub(super) fn scrub(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut at = 0;
    while at < out.len() {
        let rest = &text.as_bytes()[at..];
        let word_before = at > 0 && is_word(text.as_bytes()[at - 1]);
        at = match rest {
            [b'/', b'/', ..] => blank(&mut out, at, at + line_length(rest)),
            [b'/', b'*', ..] => blank(&mut out, at, at + block_comment_length(rest)),
            [b'"', ..] => blank(&mut out, at + 1, at + string_length(rest) - 1) + 1,
            [b'r', ..] if !word_before || text.as_bytes()[at - 1] == b'b' => match raw_string(rest)
            {
                Some((head, length)) => {
                    blank(&mut out, at + head, at + length - head + 1) + head - 1
                }
                None => at + 1,
            },
            [b'\'', ..] => match character_length(&text[at..]) {
                Some(length) => blank(&mut out, at + 1, at + length - 1) + 1,
                None => at + 1,
            },
            _ => at + 1,
        };
    }
    String::from_utf8(out).expect("only whole characters are blanked")
}

/// The part of scrubbed text before the unit tests at the end of the file.
pub(super) fn without_tests(scrubbed: &str) -> &str {
    let mut from = 0;
    while let Some(found) = scrubbed[from..].find("#[cfg(test)]") {
        let start = from + found;
        let item = scrubbed[start + "#[cfg(test)]".len()..].trim_start();
        if item.starts_with("mod ") && item.lines().next().is_some_and(|line| line.ends_with('{')) {
            return &scrubbed[..start];
        }
        from = start + 1;
    }
    scrubbed
}

/// Offsets at which `word` stands in `scrubbed` as a word of its own.
pub(super) fn find_word<'a>(scrubbed: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    scrubbed
        .match_indices(word)
        .map(|(at, _)| at)
        .filter(move |&at| {
            let before = at.checked_sub(1).map(|at| scrubbed.as_bytes()[at]);
            let after = scrubbed.as_bytes().get(at + word.len()).copied();
            let open = word.ends_with(|c: char| !c.is_alphanumeric());
            !before.is_some_and(is_word) && (open || !after.is_some_and(is_word))
        })
}

/// Number of the line, from 1, in which the offset lies.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    1 + text[..offset].matches('\n').count()
}

/// Blanks from `start` to `end` and returns `end`.
fn blank(out: &mut [u8], start: usize, end: usize) -> usize {
    let end = end.min(out.len());
    for byte in &mut out[start.min(end)..end] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
    end
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn line_length(rest: &[u8]) -> usize {
    rest.iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(rest.len())
}

fn block_comment_length(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Length of a plain string with its quotes.
fn string_length(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len() + 1
}

/// Length of `r##"` and of the whole raw string, if one starts here.
fn raw_string(rest: &[u8]) -> Option<(usize, usize)> {
    let hashes = rest[1..].iter().take_while(|byte| **byte == b'#').count();
    let head = hashes + 2;
    if rest.get(head - 1) != Some(&b'"') {
        return None;
    }
    let mut end = vec![b'"'];
    end.resize(hashes + 1, b'#');
    let body = &rest[head..];
    let length = body
        .windows(end.len())
        .position(|window| window == end)
        .unwrap_or(body.len());
    Some((head, head + length + end.len()))
}

/// Length of a character with its quotes, or nothing for a lifetime.
fn character_length(rest: &str) -> Option<usize> {
    let mut characters = rest.char_indices().skip(1);
    let (_, first) = characters.next()?;
    if first != '\\' {
        let (at, second) = characters.next()?;
        return (second == '\'').then_some(at + 1);
    }
    characters.next()?;
    characters.find(|(_, c)| *c == '\'').map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expect: &str) {
        assert_eq!(scrub(input), expect, "{input}");
    }

    #[test]
    fn comments_are_blanked_and_lines_stay() {
        check("a // b!\nc", "a      \nc");
        check("a /* x /* y */ z\n*/ b", "a               \n   b");
    }

    #[test]
    fn strings_keep_their_quotes() {
        check(r#"f("a\"b", c)"#, r#"f("    ", c)"#);
        check(r##"f(r#"a"b"#, c)"##, r##"f(r#"   "#, c)"##);
        check("f(r\"\", b\"x\")", "f(r\"\", b\" \")");
    }

    #[test]
    fn characters_are_told_from_lifetimes() {
        check(
            "f::<'a>('\"', '\\'', 'é', b'/')",
            "f::<'a>(' ', '  ', '  ', b' ')",
        );
    }

    #[test]
    fn unfinished_text_does_not_panic() {
        for text in ["\"abc", "r#\"abc", "/* abc", "'", "'\\", "r", "\"abc\\"] {
            assert_eq!(scrub(text).len(), text.len(), "{text}");
        }
    }

    #[test]
    fn tests_at_the_end_are_cut_but_a_declared_module_is_not() {
        assert_eq!(without_tests("a\n#[cfg(test)]\nmod tests {\nb"), "a\n");
        let declared = "#[cfg(test)]\nmod tests;\nb";
        assert_eq!(without_tests(declared), declared);
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(
            find_word("eprint!(a); print!(b)", "print!(").collect::<Vec<_>>(),
            [12]
        );
        assert_eq!(
            find_word("DMatrixView DMatrix", "DMatrix").collect::<Vec<_>>(),
            [12]
        );
    }
}
