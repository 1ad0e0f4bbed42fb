//! The bytes of a .nl file and a place in them: letters, integers, numbers, text or binary.

use crate::error::{Fault, NlError, Place};

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    LittleEndian,
    BigEndian,
}

#[derive(Clone, Debug)]
pub(crate) struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    form: Form,
}

impl<'a> Source<'a> {
    /// The file as a text; the header always is one.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            line: 1,
            form: Form::Text,
        }
    }

    pub(crate) fn set_form(&mut self, form: Form) {
        self.form = form;
    }

    pub(crate) fn place(&self) -> Place {
        match self.form {
            Form::Text => Place::Line(self.line),
            _ => Place::Byte(self.at),
        }
    }

    pub(crate) fn fault(&self, fault: Fault) -> NlError {
        let place = self.place();
        NlError::Fault { place, fault }
    }

    /// Bytes from here to the end.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// That something else should stand here.
    fn expected(&self, expected: &'static str) -> NlError {
        self.fault(if self.at == self.bytes.len() {
            Fault::Ended { expected }
        } else {
            let rest = &self.bytes[self.at..];
            let word = rest.iter().take_while(|b| !b.is_ascii_whitespace());
            let word: Vec<u8> = word.copied().take(20).collect();
            let found = String::from_utf8_lossy(&word).escape_debug().to_string();
            Fault::Expected { expected, found }
        })
    }

    fn skip_blanks(&mut self) {
        let blank = |b: &&u8| matches!(b, b' ' | b'\t');
        self.at += self.bytes[self.at..].iter().take_while(blank).count();
    }

    /// The letter that begins a segment or a node; `None` at the end of the file.
    pub(crate) fn letter(&mut self) -> Option<u8> {
        if self.form == Form::Text {
            loop {
                match self.bytes.get(self.at)? {
                    b' ' | b'\t' | b'\r' => {}
                    b'\n' => self.line += 1,
                    b'#' => {
                        self.skip_comment();
                        continue;
                    }
                    _ => break,
                }
                self.at += 1;
            }
        }
        let letter = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(letter)
    }

    /// The letter that begins a node; `expected` says what for.
    pub(crate) fn need_letter(&mut self, expected: &'static str) -> Result<u8, NlError> {
        self.letter().ok_or_else(|| self.expected(expected))
    }

    /// That the letter just read should be another.
    pub(crate) fn wrong_letter(&mut self, expected: &'static str) -> NlError {
        self.at -= 1;
        self.expected(expected)
    }

    fn skip_comment(&mut self) {
        let comment = |b: &&u8| **b != b'\n';
        self.at += self.bytes[self.at..].iter().take_while(comment).count();
    }

    /// Goes to the next line of a text, over a comment; nothing else may stand there.
    pub(crate) fn end_of_line(&mut self) -> Result<(), NlError> {
        if self.form != Form::Text {
            return Ok(());
        }
        self.skip_blanks();
        if self.bytes.get(self.at) == Some(&b'#') {
            self.skip_comment();
        }
        if self.bytes.get(self.at) == Some(&b'\r') {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(b'\n') => {
                self.at += 1;
                self.line += 1;
                Ok(())
            }
            None => Ok(()),
            Some(_) => Err(self.expected("the end of the line")),
        }
    }

    /// Whether the line of a text ends here, but for a comment.
    pub(crate) fn at_end_of_line(&mut self) -> bool {
        self.skip_blanks();
        matches!(self.bytes.get(self.at), None | Some(b'\n' | b'\r' | b'#'))
    }

    fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let rest = &self.bytes[self.at..];
        let inside = |b: &&u8| !b.is_ascii_whitespace() && **b != b'#';
        &rest[..rest.iter().take_while(inside).count()]
    }

    fn take<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], NlError> {
        let Some(taken) = self.bytes[self.at..].first_chunk::<N>() else {
            self.at = self.bytes.len();
            return Err(self.expected(expected));
        };
        self.at += N;
        let mut taken = *taken;
        if self.form == Form::BigEndian {
            taken.reverse();
        }
        Ok(taken)
    }

    fn parse<T: std::str::FromStr>(&mut self, expected: &'static str) -> Result<T, NlError> {
        let word = self.word();
        let value = std::str::from_utf8(word).ok().and_then(|w| w.parse().ok());
        let value = value.ok_or_else(|| self.expected(expected))?;
        self.at += word.len();
        Ok(value)
    }

    /// An integer of four bytes.
    pub(crate) fn integer(&mut self, expected: &'static str) -> Result<i64, NlError> {
        if self.form == Form::Text {
            return self.parse(expected);
        }
        Ok(i64::from(i32::from_le_bytes(self.take(expected)?)))
    }

    /// An integer of two bytes.
    pub(crate) fn short(&mut self, expected: &'static str) -> Result<i64, NlError> {
        if self.form == Form::Text {
            return self.parse(expected);
        }
        Ok(i64::from(i16::from_le_bytes(self.take(expected)?)))
    }

    /// A number, possibly NaN or infinite.
    pub(crate) fn number(&mut self, expected: &'static str) -> Result<f64, NlError> {
        if self.form == Form::Text {
            return self.parse(expected);
        }
        Ok(f64::from_le_bytes(self.take(expected)?))
    }

    /// A finite number.
    pub(crate) fn finite(&mut self, what: &'static str) -> Result<f64, NlError> {
        let place = self.place();
        let number = self.number(what)?;
        if number.is_finite() {
            return Ok(number);
        }
        let fault = Fault::NotFinite { what };
        Err(NlError::Fault { place, fault })
    }

    /// An index below `end`.
    pub(crate) fn index(&mut self, what: &'static str, end: usize) -> Result<usize, NlError> {
        self.between(what, 0, end)
    }

    /// An index from `least` to below `end`.
    pub(crate) fn between(
        &mut self,
        what: &'static str,
        least: usize,
        end: usize,
    ) -> Result<usize, NlError> {
        let place = self.place();
        let found = self.integer(what)?;
        let index = usize::try_from(found).ok();
        index.filter(|i| (least..end).contains(i)).ok_or_else(|| {
            let [least, end] = [least, end].map(|x| i64::try_from(x).unwrap_or(i64::MAX));
            let most = end - 1;
            let fault = Fault::Range {
                what,
                found,
                least,
                most,
            };
            NlError::Fault { place, fault }
        })
    }

    /// A count of things of which each takes a byte at least.
    pub(crate) fn count(&mut self, what: &'static str) -> Result<usize, NlError> {
        let place = self.place();
        let found = self.integer(what)?;
        let left = self.left();
        let count = usize::try_from(found).ok();
        count.filter(|count| *count <= left).ok_or({
            let fault = Fault::Absurd { what, found, left };
            NlError::Fault { place, fault }
        })
    }

    /// The rest of a line of a text, or a counted string of a binary file.
    pub(crate) fn name(&mut self) -> Result<String, NlError> {
        let bytes = if self.form == Form::Text {
            let word = self.word();
            self.at += word.len();
            word
        } else {
            let length = self.count("characters of a name")?;
            let name = &self.bytes[self.at..self.at + length];
            self.at += length;
            name
        };
        let shown = &bytes[..bytes.len().min(60)];
        Ok(String::from_utf8_lossy(shown).escape_debug().to_string())
    }
}
