//! Hostile files: no reader panics, hangs, asks for much memory or lets a NaN through.
//!
//! A thousand seeds each in the suite; `STRESS_SECONDS=600 cargo test --release -p signorini-complementarity
//! hostile_files::no_file -- --nocapture` for longer. A failure names its seed; `STRESS_SEED` begins there.

use std::io::Write;
use std::time::{Duration, Instant};

use flate2::{Compression, GzBuilder};
use serde_json::{Value, json};
use signorini_complementarity::io::matrix_market::{
    Layout, read_matrix, read_vector, write_matrix, write_vector,
};
use signorini_complementarity::io::{ProblemFile, ReadError, read_text};
use signorini_complementarity::*;

use crate::formats::bits;
use crate::problems::fixtures;
use crate::random::{Random, stress};

const SEEDS: u64 = 1000;

/// A seed takes milliseconds; a reader that needs this long has lost its way.
const PATIENCE: Duration = Duration::from_secs(20);

/// Numbers and words that mean trouble in one reader or the other.
const WORDS: [&str; 24] = [
    "null",
    "-1",
    "0",
    "-0",
    "2.5",
    ".5",
    "1e999",
    "1e-999",
    "1.7976931348623157e308",
    "5e-324",
    "1D-3",
    "NaN",
    "-nan",
    "inf",
    "-Infinity",
    "99999999999999999999",
    "{",
    "]",
    ",",
    "\"",
    "\n",
    "%%",
    "\0",
    "\u{3bc}",
];

/// Text with a few bytes changed, dropped, doubled or swapped for words that mean trouble.
fn mutated(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len() + 1);
        let end = (at + random.below(12)).min(text.len());
        match random.below(7) {
            0 => drop(text.splice(at..end, random.one_of(&WORDS).bytes())),
            1 => drop(text.splice(at..at, random.one_of(&WORDS).bytes())),
            2 => drop(text.drain(at..end)),
            3 => {
                let piece = text[at..end].to_vec();
                let to = random.below(text.len() + 1);
                drop(text.splice(to..to, piece));
            }
            4 => text.truncate(at),
            5 if at < text.len() => text[at] ^= 1 << random.below(8),
            _ if at < text.len() => text[at] = random.next().to_le_bytes()[0],
            _ => {}
        }
    }
    text
}

/// A value that may stand anywhere in a JSON file, mostly wrongly.
fn strange(random: &mut Random) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!(""),
        json!("solvable"),
        json!(0),
        json!(1),
        json!(2),
        json!(-1),
        json!(2.5),
        json!(-0.0),
        json!(5e-324),
        json!(f64::MAX),
        json!(u64::MAX),
        json!(10_000_000_000_u64),
        json!([]),
        json!([null]),
        json!([[]]),
        json!({}),
    ];
    values[random.below(values.len())].clone()
}

/// Changes the value itself or one somewhere inside.
fn damage(value: &mut Value, random: &mut Random) {
    const FIELDS: [&str; 12] = [
        "n", "M", "q", "l", "u", "start", "covering", "known", "results", "rows", "v", "z",
    ];
    let inside = random.below(5) > 0;
    match value {
        Value::Array(items) if inside && !items.is_empty() => {
            let at = random.below(items.len());
            damage(&mut items[at], random);
        }
        Value::Object(fields) if inside && !fields.is_empty() => {
            let at = random.below(fields.len());
            damage(fields.values_mut().nth(at).unwrap(), random);
        }
        Value::Array(items) if random.below(4) > 0 => match random.below(4) {
            0 => items.clear(),
            1 => drop(items.pop()),
            2 => items.reverse(),
            _ => items.extend(items.last().cloned()),
        },
        Value::Object(fields) if random.below(4) > 0 => {
            let name = random.one_of(&FIELDS);
            match random.below(2) {
                0 => drop(fields.remove(name)),
                _ => drop(fields.insert(name.to_owned(), strange(random))),
            }
        }
        _ => *value = strange(random),
    }
}

/// A small problem file of any structure, right or nearly so.
fn any_problem(random: &mut Random) -> Value {
    let n = random.below(5);
    let numbers = [0.0, -0.0, 1.0, -2.5, 1e300, -1e-300, 5e-324];
    let mut vector = |length: usize| -> Vec<Value> {
        let number = |_| json!(random.one_of(&numbers));
        (0..length).map(number).collect()
    };
    let (q, l, z, v) = (vector(n), vector(n), vector(n), vector(n));
    let places: Vec<usize> = (0..n).collect();
    let mut file = json!({
        "format": "linear-mcp-1", "n": n,
        "M": { "rows": n, "cols": n, "i": places, "j": places, "v": v },
        "q": q, "l": l, "u": vec![Value::Null; n],
        "known": [&z], "solutions": [{ "z": &z, "residual": 0.5, "origin": "\u{7}" }],
        "results": [{ "solver": "s", "status": "t", "seconds": 1e9 }],
    });
    let optional = ["l", "u", "known", "solutions", "results"];
    for name in optional.iter().filter(|_| random.below(3) == 0) {
        file.as_object_mut().unwrap().remove(*name);
    }
    file
}

/// A Matrix Market file of any shape and kind, right or nearly so.
fn any_matrix(random: &mut Random) -> String {
    let rarely = |random: &mut Random| random.below(20) == 0;
    let coordinate = random.below(2) == 0;
    let layout = if coordinate { "coordinate" } else { "array" };
    let field = random.one_of(&["real", "Real", "integer", "double", "real", "pattern"]);
    let symmetry = random.one_of(&["general", "general", "SYMMETRIC", "skew-symmetric", "x"]);
    let mut text = format!("%%MatrixMarket matrix {layout} {field} {symmetry}\n");
    let space = random.one_of(&[" ", " ", "\t", "  ", "\u{a0}"]);
    let end = random.one_of(&["\n", "\n", "\r\n", "\n\n", "\n%\n", "\r"]);
    let size = |random: &mut Random| {
        if rarely(random) {
            random.one_of(&["10000000", "10000001", "18446744073709551616", "-1", "x"])
        } else {
            random.one_of(&["0", "1", "1", "2", "2", "3"])
        }
    };
    let (rows, cols) = (size(random), size(random));
    let [m, n] = [rows, cols].map(|s| s.parse().unwrap_or(2_usize).min(3));
    let all = match symmetry {
        "SYMMETRIC" => m * (m + 1) / 2,
        "skew-symmetric" => m * m.saturating_sub(1) / 2,
        _ => m * n,
    };
    let mut entries = all;
    if coordinate {
        entries = random.below(all + 1);
        let announced = if rarely(random) {
            random.one_of(&["18446744073709551615", "-1", "1000000000"])
        } else {
            ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"][entries]
        };
        text += &[rows, cols, announced].join(space);
    } else {
        text += &[rows, cols].join(space);
    }
    text += end;
    if rarely(random) {
        entries += 1;
    }
    for _ in 0..entries {
        let number = match random.below(6) {
            0 => random.one_of(&WORDS),
            _ => random.one_of(&["1", "-2", "0", "-0", "1d3", "2.5E-3", "+7", "inf"]),
        };
        if coordinate {
            let i = 1 + random.below(m.max(1));
            let j = match symmetry {
                "general" => 1 + random.below(n.max(1)),
                _ => 1 + random.below(i),
            };
            text += &format!("{i}{space}{j}{space}");
        }
        text += &format!("{number}{end}");
    }
    text
}

/// These bytes as gzip, in one member or several, with a name or without.
fn packed(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut all = Vec::new();
    for piece in bytes.chunks((bytes.len() / (1 + random.below(3))).max(1)) {
        let mut header = GzBuilder::new();
        if random.below(2) == 0 {
            header = header.filename("problem.json").comment("x").extra("y");
        }
        let level = Compression::new(u32::try_from(random.below(10)).unwrap());
        let mut encoder = header.write(Vec::new(), level);
        encoder.write_all(piece).unwrap();
        all.extend(encoder.finish().unwrap());
    }
    all
}

/// The reason of a refusal must fit on a screen.
fn check_message(error: &ReadError) {
    let message = error.to_string();
    assert!(message.len() < 1000, "{message}");
    assert!(!message.contains(char::is_control), "{message:?}");
}

/// What is read must be a problem of numbers that can be written and read back.
fn check_problem(bytes: Vec<u8>) -> Option<ProblemFile> {
    let file = match ProblemFile::from_bytes(bytes) {
        Ok(file) => file,
        Err(error) => {
            check_message(&error);
            return None;
        }
    };
    let n = file.problem.len();
    let points = file.known.iter().chain(&file.start).chain(&file.covering);
    for z in points.chain(file.solutions.iter().map(|s| &s.z)) {
        assert!(z.len() == n && z.iter().all(|z| z.is_finite()), "{z:?}");
    }
    let results = file.results.iter().flat_map(|r| [r.residual, r.seconds]);
    let residuals = file.solutions.iter().map(|s| s.residual);
    assert!(results.flatten().chain(residuals).all(f64::is_finite));
    let (m, bounds) = (file.problem.m(), file.problem.bounds());
    assert!(
        m.data()
            .iter()
            .chain(file.problem.q())
            .all(|x| x.is_finite())
    );
    assert!(m.shape() == (n, n) && bounds.lower().len() == n);
    // Comparisons with NaN are false.
    assert!(
        bounds
            .lower()
            .iter()
            .zip(bounds.upper())
            .all(|(l, u)| l <= u)
    );
    let again = ProblemFile::from_json(&file.to_json().unwrap()).unwrap();
    assert_eq!(again, file);
    assert_eq!(bits(&again.problem), bits(&file.problem));
    Some(file)
}

/// Whether it is a matrix.
fn check_matrix_market(text: &str) -> bool {
    let (matrix, vector) = (read_matrix(text), read_vector(text));
    if let Ok(m) = &matrix {
        assert!(m.data().iter().all(|v| v.is_finite()));
        if m.rows().max(m.cols()) <= 1000 {
            let written = write_matrix(m, Layout::Coordinate);
            assert_eq!(&read_matrix(&written).unwrap(), m);
            let dense = read_matrix(&write_matrix(m, Layout::Array)).unwrap();
            assert_eq!(dense.to_dense(), m.to_dense());
        }
        assert_eq!(m.cols() == 1, vector.is_ok(), "{vector:?}");
    }
    if let Ok(v) = &vector {
        assert!(!v.iter().any(|x| x.is_nan()));
        if let Ok(m) = &matrix {
            for (i, x) in v.iter().enumerate() {
                let entry = m.get(i, 0).copied().unwrap_or(0.0);
                assert_eq!(x.to_bits(), entry.to_bits());
            }
        }
        assert!(v.len() > 1000 || &read_vector(&write_vector(v)).unwrap() == v);
    }
    matrix.as_ref().err().iter().for_each(|e| check_message(e));
    vector.err().iter().for_each(check_message);
    matrix.is_ok()
}

/// All readers with files made from one seed; how many of them were read as a problem and as a matrix.
fn check_seed(seed: u64, texts: &[Vec<u8>], problems: &[LinearMcp]) -> [u64; 2] {
    let mut read = [0; 2];
    let mut random = Random(seed);
    let pick = random.below(texts.len());
    // 1. JSON, with damage to its bytes or to its structure.
    let mut value = match random.below(4) {
        0 => serde_json::from_slice(&texts[pick]).unwrap(),
        _ => any_problem(&mut random),
    };
    for _ in 0..random.below(3) {
        damage(&mut value, &mut random);
    }
    let built = value.to_string().into_bytes();
    for text in [mutated(&texts[pick], &mut random), built] {
        let plain = check_problem(text.clone());
        read[0] += u64::from(plain.is_some());
        // 2. The same packed, whole and damaged.
        let whole = packed(&text, &mut random);
        assert_eq!(check_problem(whole.clone()), plain);
        check_problem(mutated(&whole, &mut random));
    }
    // 3. Matrix Market, of a matrix that is there and of any.
    let problem = &problems[pick % problems.len()];
    let layout = random.one_of(&[Layout::Coordinate, Layout::Array]);
    for text in [
        write_matrix(problem.m(), layout),
        write_vector(problem.bounds().upper()),
        any_matrix(&mut random),
    ] {
        read[1] += u64::from(check_matrix_market(&text));
        let bytes = mutated(text.as_bytes(), &mut random);
        read[1] += u64::from(check_matrix_market(&String::from_utf8_lossy(&bytes)));
    }
    read
}

#[test]
fn no_file_makes_a_reader_panic_or_hang() {
    let texts = fixtures().into_iter().map(|(_, path)| std::fs::read(path));
    let texts: Vec<Vec<u8>> = texts.map(Result::unwrap).collect();
    // Small ones mostly: more files per second.
    let small: Vec<Vec<u8>> = texts.iter().filter(|t| t.len() < 6000).cloned().collect();
    let problem = |text: &Vec<u8>| ProblemFile::from_bytes(text.clone()).unwrap().problem;
    let problems: Vec<LinearMcp> = small.iter().map(problem).collect();
    let (mut seeds, mut read) = (0, [0; 2]);
    stress(SEEDS, |seed| {
        let begin = Instant::now();
        let texts = if seed % 16 == 0 { &texts } else { &small };
        let outcome = std::panic::catch_unwind(|| check_seed(seed, texts, &problems));
        assert!(begin.elapsed() < PATIENCE, "seed {seed} takes too long");
        let Ok([problem, matrix]) = outcome else {
            panic!("seed {seed}")
        };
        seeds += 1;
        read = [read[0] + problem, read[1] + matrix];
    });
    println!("{} problems and {} matrices read", read[0], read[1]);
    // Neither all refused nor all harmless.
    assert!(
        read.iter().all(|r| (seeds / 4..2 * seeds).contains(r)),
        "{seeds} {read:?}"
    );
}

/// Damaged gzip data end in an error, or in the same problem where the damage is in a part that says nothing.
#[test]
fn no_file_hides_damage_of_gzip() {
    let text = ProblemFile::new("p", Lcp::from_dense(&[[1.0]], vec![-1.0]).unwrap().into());
    let text = text.to_json().unwrap();
    let whole = packed(text.as_bytes(), &mut Random(0));
    let expected = ProblemFile::from_json(&text).unwrap();
    assert_eq!(ProblemFile::from_bytes(whole.clone()).unwrap(), expected);
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            if let Ok(file) = ProblemFile::from_bytes(damaged) {
                assert_eq!(file, expected, "byte {at}, bit {bit}");
            }
        }
    }
}

/// Texts that claim or repeat much, and files that are none.
#[test]
fn no_file_claims_more_than_it_holds() {
    let refused = |bytes: Vec<u8>| {
        let error = ProblemFile::from_bytes(bytes).unwrap_err();
        check_message(&error);
        error
    };
    // 1. A quarter of a gigabyte of spaces in a third of a megabyte of gzip.
    let bomb = packed(&vec![b' '; 1 << 20], &mut Random(5)).repeat(256);
    assert!(bomb.len() < 1 << 20, "{}", bomb.len());
    assert!(matches!(refused(bomb), ReadError::TooLarge { .. }));
    // 2. Nests deeper than any stack, long words, sizes without entries.
    for open in [
        "[",
        "{\"M\":",
        "{\"q\":[",
        "{\"known\":[[",
        "\"",
        "9",
        "-",
        "\u{7}",
    ] {
        refused(open.repeat(100_000).into_bytes());
        check_matrix_market(&open.repeat(100_000));
        for header in [
            "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 ",
            "%%MatrixMarket matrix array real general\n1 1\n",
            "%%MatrixMarket matrix array real ",
        ] {
            check_matrix_market(&(header.to_owned() + &open.repeat(100_000)));
        }
    }
    let word = "x".repeat(1 << 20);
    refused(json!({ "format": &word }).to_string().into_bytes());
    refused(json!({ &word: 0 }).to_string().into_bytes());
    for sizes in ["10000000 10000000", "10000000 1", "0 10000000"] {
        for entries in ["0", "1", "18446744073709551615", ""] {
            let layout = if entries.is_empty() {
                "array"
            } else {
                "coordinate"
            };
            for symmetry in ["general", "symmetric", "skew-symmetric"] {
                let banner = format!("%%MatrixMarket matrix {layout} real {symmetry}");
                check_matrix_market(&format!("{banner}\n{sizes} {entries}\n"));
            }
        }
    }
    // 3. A folder.
    let error = read_text(env!("CARGO_MANIFEST_DIR")).unwrap_err();
    assert!(matches!(error, ReadError::File { .. }), "{error}");
}

/// The tests of this module again, in a process that gets no more address space than this.
#[cfg(target_os = "linux")]
#[test]
fn half_a_gigabyte_is_enough_for_small_files() {
    let run = std::process::Command::new("sh")
        .args(["-c", "ulimit -v 524288 && exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["hostile_files::no_file", "--test-threads=1"])
        .env_remove("STRESS_SECONDS")
        .output()
        .unwrap();
    let said = [run.stdout, run.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(run.status.success(), "{said}");
    assert!(said.contains("3 passed"), "{said}");
}
