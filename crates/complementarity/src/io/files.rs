//! Text from files, plain or gzipped.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::ReadError;

/// Most bytes of text that are read, after decompression: 1 GiB, and of a gzipped file no more than the larger of 16 MiB
/// and 100 times its size. Problems shrink to a tenth; a file that shrinks to a thousandth is made to exhaust the memory.
pub const MOST_BYTES: u64 = 1 << 30;

/// The three ways to read a file of a JSON format: `$file` from a path, from bytes and from text, by way of `$raw`, which
/// is the tree as it stands in the text, and whose `checked` makes a file of it.
macro_rules! reads_json {
    ($file:ident, $raw:ty) => {
        impl $file {
            /// Reads a file, plain or gzipped.
            ///
            /// # Errors
            /// [`ReadError`] that names what is wrong.
            pub fn from_path(path: impl AsRef<std::path::Path>) -> Result<Self, ReadError> {
                Self::from_json(&super::read_text(path)?)
            }

            /// Reads the bytes of a file, plain or gzipped.
            ///
            /// # Errors
            /// [`ReadError`] that names what is wrong.
            pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ReadError> {
                Self::from_json(&super::files::text_of_bytes(bytes)?)
            }

            /// Reads JSON text.
            ///
            /// # Errors
            /// [`ReadError`] that names what is wrong.
            pub fn from_json(text: &str) -> Result<Self, ReadError> {
                let raw: $raw = super::json::parse(text)?;
                raw.checked()
            }
        }
    };
}

pub(super) use reads_json;

const MOST_BYTES_OF_SMALL: u64 = 16 << 20;

const MOST_GROWTH: u64 = 100;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The text of a file; gzip is recognised by its first two bytes, not by the name.
///
/// # Errors
/// [`ReadError::File`], [`ReadError::Compressed`], [`ReadError::TooLarge`] or [`ReadError::NotText`].
///
/// # Examples
/// ```
/// use signorini_complementarity::io::{ReadError, read_text};
/// assert!(matches!(read_text("no/such/file.json"), Err(ReadError::File { .. })));
/// ```
pub fn read_text(path: impl AsRef<Path>) -> Result<String, ReadError> {
    text_of_bytes(read_bytes(path.as_ref())?)
}

/// The bytes of a file, as they are.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let refuse = |source| ReadError::File {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(refuse)?;
    read_limited(file, MOST_BYTES, refuse)
}

/// The text of bytes that may be gzipped.
pub(super) fn text_of_bytes(bytes: Vec<u8>) -> Result<String, ReadError> {
    let plain = if bytes.starts_with(&GZIP_MAGIC) {
        let refuse = |source| ReadError::Compressed { source };
        let growth = MOST_BYTES_OF_SMALL.max(MOST_GROWTH.saturating_mul(bytes.len() as u64));
        let limit = growth.min(MOST_BYTES);
        read_limited(MultiGzDecoder::new(&bytes[..]), limit, refuse)?
    } else {
        bytes
    };
    String::from_utf8(plain).map_err(|error| ReadError::NotText {
        at: error.utf8_error().valid_up_to(),
    })
}

fn read_limited(
    reader: impl Read,
    limit: u64,
    refuse: impl Fn(io::Error) -> ReadError,
) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let read = reader.take(limit + 1).read_to_end(&mut bytes);
    if read.map_err(refuse)? as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn gzip_is_seen_by_its_bytes_and_damage_is_found() {
        let packed = gzip("two words");
        assert_eq!(text_of_bytes(packed.clone()).unwrap(), "two words");
        // Several members are one text, as gunzip has it.
        let twice = [packed.clone(), packed.clone()].concat();
        assert_eq!(text_of_bytes(twice).unwrap(), "two wordstwo words");
        for end in 2..packed.len() {
            let error = text_of_bytes(packed[..end].to_vec()).unwrap_err();
            assert!(matches!(error, ReadError::Compressed { .. }), "{end}");
        }
        let error = text_of_bytes(vec![b'a', 0xff]).unwrap_err();
        assert!(matches!(error, ReadError::NotText { at: 1 }));
    }

    #[test]
    fn the_limit_holds() {
        let refuse = |source| ReadError::Compressed { source };
        assert_eq!(read_limited(&b"four"[..], 4, refuse).unwrap(), b"four");
        let error = read_limited(&b"fives"[..], 4, refuse).unwrap_err();
        assert!(matches!(error, ReadError::TooLarge { limit: 4 }));
    }
}
