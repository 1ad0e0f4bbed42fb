//! Files beside a stub.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::error::NlError;

/// Most bytes that are read, after decompression: 1 GiB, and of a gzipped file no more than the larger of 16 MiB and 100
/// times its size.
pub const MOST_BYTES: u64 = 1 << 30;

const MOST_BYTES_OF_SMALL: u64 = 16 << 20;

const MOST_GROWTH: u64 = 100;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, NlError> {
    let refuse = |source| NlError::File {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(refuse)?;
    limited(file, MOST_BYTES, refuse)
}

/// Bytes that may be gzipped, plain.
pub(crate) fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, NlError> {
    if !bytes.starts_with(&GZIP_MAGIC) {
        return Ok(Cow::Borrowed(bytes));
    }
    let growth = MOST_BYTES_OF_SMALL.max(MOST_GROWTH.saturating_mul(bytes.len() as u64));
    let refuse = |source| NlError::Compressed { source };
    limited(MultiGzDecoder::new(bytes), growth.min(MOST_BYTES), refuse).map(Cow::Owned)
}

fn limited(
    reader: impl Read,
    limit: u64,
    refuse: impl Fn(std::io::Error) -> NlError,
) -> Result<Vec<u8>, NlError> {
    let mut bytes = Vec::new();
    let read = reader.take(limit + 1).read_to_end(&mut bytes);
    if read.map_err(refuse)? as u64 > limit {
        return Err(NlError::TooLarge { limit });
    }
    Ok(bytes)
}

/// The path without the endings .gz and .nl.
pub(crate) fn stub(path: &Path) -> PathBuf {
    let mut stub = path.to_owned();
    for ending in ["gz", "nl"] {
        if stub
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case(ending))
        {
            stub.set_extension("");
        }
    }
    stub
}

/// The path of the file with this ending beside the stub.
pub(crate) fn beside(stub: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(stub);
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

/// The first `count` lines of a file of names beside the stub; none if the file is not there or has fewer.
pub(crate) fn names(stub: &Path, ending: &str, count: usize) -> Vec<String> {
    let Ok(bytes) = read(&beside(stub, ending)) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&bytes);
    let names: Vec<String> = text.lines().take(count).map(shown).collect();
    if names.len() == count {
        names
    } else {
        Vec::new()
    }
}

/// A name as messages show it: characters that a terminal obeys are escaped.
fn shown(name: &str) -> String {
    let mut shown = String::new();
    for c in name.chars() {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}
