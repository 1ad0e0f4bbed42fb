//! Hostile files: no file makes the reader panic, hang or ask for much memory.
//!
//! Seeded; `STRESS_SECONDS=600 cargo test --release -p signorini-ampl hostile -- --nocapture` for longer. A failure names
//! its seed; `STRESS_SEED` begins there.

use std::time::{Duration, Instant};

use signorini_ampl::{Model, NlError};
use signorini_complementarity::{Assembler, Mcp};

use crate::binary::binary;
use crate::features::{DEFINED, OPERATORS, SIDES, file};
use crate::problems::fixtures;
use crate::random::{Random, stress};

const SEEDS: u64 = 2000;

/// A file takes milliseconds; a reader that needs this long has lost its way.
const PATIENCE: Duration = Duration::from_secs(20);

/// Words that mean trouble.
const WORDS: [&str; 24] = [
    "-1",
    "0",
    "1",
    "2",
    "3",
    "5 3 1",
    "1000000000",
    "2147483647",
    "-2147483648",
    "99999999999999999999",
    "1e999",
    "nan",
    "inf",
    "-Infinity",
    "o54\n1000000000",
    "o64\n3",
    "o35",
    "v1000000",
    "f0 1",
    "k0",
    "V4 0 0",
    "C0",
    "\n",
    "#",
];

fn mutated(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len() + 1);
        let end = (at + random.below(12)).min(text.len());
        match random.below(8) {
            0 => drop(text.splice(at..end, random.one_of(&WORDS).bytes())),
            1 => drop(text.splice(at..at, random.one_of(&WORDS).bytes())),
            2 => drop(text.drain(at..end)),
            3 => {
                let piece = text[at..end].to_vec();
                let to = random.below(text.len() + 1);
                drop(text.splice(to..to, piece));
            }
            4 if random.below(4) == 0 => text.truncate(at),
            // Whole lines: dropped or doubled.
            5 => {
                let mut lines: Vec<Vec<u8>> =
                    text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
                let [from, to] = [0, 0].map(|_| random.below(lines.len()));
                if random.below(2) == 0 {
                    lines.remove(from);
                } else {
                    let line = lines[from].clone();
                    lines.insert(to, line);
                }
                text = lines.join(&b'\n');
            }
            6 if at < text.len() => text[at] ^= 1 << random.below(8),
            _ if at < text.len() => text[at] = random.next().to_le_bytes()[0],
            _ => {}
        }
    }
    text
}

/// Reads a file; if it is a problem it can be evaluated anywhere, and gives numbers or says where it does not.
fn check(bytes: &[u8], random: &mut Random) -> bool {
    let model = match Model::from_bytes("hostile", bytes) {
        Ok(model) => model,
        Err(error) => {
            check_message(&error);
            return false;
        }
    };
    let n = model.len();
    assert!(model.start().len() == n && model.start().iter().all(|z| z.is_finite()));
    let mut assembler = Assembler::new(n);
    let mut f = vec![0.0; n];
    for scale in [0.0, 1.0, -3.0, 1e5] {
        let z: Vec<f64> = (0..n).map(|_| scale * random.uniform()).collect();
        assembler.begin();
        match model.evaluate(&z, &mut f, Some(&mut assembler)) {
            Ok(()) => {
                assert!(f.iter().all(|f| f.is_finite()));
                assert!(assembler.matrix().data().iter().all(|m| m.is_finite()));
            }
            Err(error) => assert!(error.row < n),
        }
    }
    true
}

fn check_message(error: &NlError) {
    let message = error.to_string();
    assert!(message.len() < 1000, "{message}");
    assert!(!message.contains(char::is_control), "{message:?}");
}

/// Files to damage: the small public ones, and those of the other tests; text, then both binary forms.
fn files() -> Vec<Vec<u8>> {
    let mut texts: Vec<Vec<u8>> = fixtures()
        .into_iter()
        .map(|fixture| fixture.bytes)
        .collect();
    texts.retain(|text| text.len() < 8000);
    let public = texts.len();
    texts.extend([file(&DEFINED), file(&OPERATORS), file(&SIDES)].map(String::into_bytes));
    for index in 0..public {
        let text = String::from_utf8(texts[index].clone()).unwrap();
        texts.extend([false, true].map(|big| binary(&text, big)));
    }
    texts
}

#[test]
fn no_file_makes_the_reader_panic_or_hang() {
    let files = files();
    assert!(files.len() > 50);
    let (mut seeds, mut read) = (0, 0);
    stress(SEEDS, |seed| {
        let begin = Instant::now();
        let mut random = Random(seed);
        let whole = &files[random.below(files.len())];
        let damaged = mutated(whole, &mut random);
        read += u64::from(check(&damaged, &mut random));
        seeds += 1;
        assert!(begin.elapsed() < PATIENCE, "seed {seed} takes too long");
    });
    // Neither all refused nor all harmless.
    assert!(read > seeds / 50 && read < seeds, "{read} of {seeds}");
}

#[test]
fn every_prefix_of_a_file_is_refused_or_read() {
    let mut random = Random(3);
    let text = file(&DEFINED);
    let all = fixtures();
    let small = all
        .iter()
        .find(|fixture| fixture.name == "mathiesen_mod")
        .unwrap();
    let public = String::from_utf8(small.bytes.clone()).unwrap();
    for whole in [
        text.as_bytes(),
        public.as_bytes(),
        &binary(&public, false),
        &binary(&public, true),
    ] {
        let mut read = 0;
        for end in 0..whole.len() {
            read += usize::from(check(&whole[..end], &mut random));
        }
        // What can be missing at the end of a text is the end of the line and digits of the last number.
        let last = whole
            .trim_ascii_end()
            .rsplit(|b| *b == b'\n')
            .next()
            .unwrap();
        let most = if whole[0] == b'g' { last.len() } else { 0 };
        assert!(read <= most, "{read} {most}");
        assert!(check(whole, &mut random));
    }
}

#[test]
fn absurd_counts_are_refused_before_memory_is_asked_for() {
    let text = file(&DEFINED);
    for (line, word) in [(1, 0), (1, 1), (1, 2), (5, 1), (7, 0), (7, 1), (9, 1)] {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut words: Vec<&str> = lines[line].split_whitespace().collect();
        words[word] = "1000000000";
        lines[line] = words.join(" ");
        let error = Model::from_bytes("absurd", lines.join("\n").as_bytes()).unwrap_err();
        assert!(error.to_string().contains("1000000000"), "{error}");
    }
}

/// A million nested operators, and a chain of defined variables whose gradients would fill the memory.
#[test]
fn depth_and_density_are_no_danger() {
    let mut deep = String::from("C0\n");
    for _ in 0..1_000_000 {
        deep += "o16\n";
    }
    deep += "v0\n";
    let head = "g3 1 1 0\n 1 1 0 0 0\n 1 0 0 1\n 0 0\n 1 0\n 0 0 0 1\n 0 0 0 0 0\n 1 0\n 0 0\n 0 0 0 0 0\n";
    let text = format!("{head}{deep}r\n5 1 1\nb\n2 0\nk0\nJ0 1\n0 0\n");
    let model = Model::from_bytes("deep", text.as_bytes()).unwrap();
    let mut f = [0.0];
    model.evaluate(&[2.5], &mut f, None).unwrap();
    assert_eq!(f, [2.5]);

    // v_k = cos(x_k) (v_(k-1) + v_(k-2)) / 2, all used by the last row and by one before it.
    let n = 3000;
    let mut text = format!(
        "g3 1 1 0\n {n} {n} 0 0 0\n {n} 0 0 {n}\n 0 0\n {n} 0\n 0 0 0 1\n 0 0 0 0 0\n {} 0\n 0 0\n 0 {n} 0 0 0\n",
        3 * n - 2
    );
    for k in 0..n {
        let [a, b] = [1, 2].map(|d| if k >= d { n + k - d } else { k });
        text += &format!("V{} 0 0\no2\no46\nv{k}\no2\nn0.5\no0\nv{a}\nv{b}\n", n + k);
    }
    for row in 0..n {
        let used = if row < 2 { 2 * n - 1 - row } else { row };
        text += &format!("C{row}\nv{used}\n");
    }
    text += "r\n";
    text.extend((0..n).map(|k| format!("5 1 {}\n", k + 1)));
    text += "b\n";
    text.extend((0..n).map(|_| "2 0\n"));
    for row in 0..n {
        let columns = if row < 2 { 0..n } else { row..row + 1 };
        text += &format!("J{row} {}\n", columns.len());
        text.extend(columns.map(|k| format!("{k} 0\n")));
    }
    let model = Model::from_bytes("dense", text.as_bytes()).unwrap();
    let z = vec![0.1; n];
    let mut assembler = Assembler::new(n);
    assembler.begin();
    let begin = Instant::now();
    model
        .evaluate(&z, &mut vec![0.0; n], Some(&mut assembler))
        .unwrap();
    assert!(begin.elapsed() < PATIENCE);
    // Near the end: d v_(n-1) / d x_(n-1) = -tan(x) v_(n-1).
    let mut f = vec![0.0; n];
    model.evaluate(&z, &mut f, None).unwrap();
    let (expected, found) = (-(0.1_f64.tan()) * f[0], assembler.matrix().get(0, n - 1));
    assert!(
        (found.unwrap() - expected).abs() <= 1e-12 * expected.abs(),
        "{found:?} {expected}"
    );
}
