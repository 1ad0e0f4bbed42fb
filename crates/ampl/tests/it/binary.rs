//! Binary files, in both byte orders, made from the text files token by token.

use signorini_ampl::{Fault, Model, NlError, Place};
use signorini_complementarity::{Assembler, Mcp};

use crate::problems::{Fixture, fixtures, numbers};

/// The same file in binary form. Knows the segments of the public problems only.
pub(crate) fn binary(text: &str, big: bool) -> Vec<u8> {
    let mut lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap().trim());
    let mut bytes = Vec::new();
    for (number, line) in text.lines().take(10).enumerate() {
        let arithmetic = if big { " 0 0 2 1" } else { " 0 0 1 1" };
        let line = match number {
            0 => line.replacen('g', "b", 1),
            5 => arithmetic.to_owned(),
            _ => line.to_owned(),
        };
        bytes.extend(line.bytes().chain([b'\n']));
        lines.next();
    }
    let mut write = Writer { bytes, big };
    let mut counts = vec![];
    while let Some(line) = lines.next() {
        if line.is_empty() {
            continue;
        }
        let (letter, rest) = line.split_at(1);
        let words: Vec<&str> = rest.split_whitespace().collect();
        match letter {
            "n" => write.number('n', rest),
            "v" => write.integers('v', &words),
            "o" => {
                write.integers('o', &words);
                if rest == "54" {
                    write.integers_alone(&[lines.next().unwrap()]);
                }
            }
            "C" | "V" | "J" | "x" | "k" => {
                write.integers(letter.chars().next().unwrap(), &words);
                let pairs = match letter {
                    "V" | "J" => words[1].parse().unwrap(),
                    "x" => words[0].parse().unwrap(),
                    _ => 0,
                };
                for _ in 0..pairs {
                    let pair: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
                    write.integers_alone(&pair[..1]);
                    write.number_alone(pair[1]);
                }
                if letter == "k" {
                    for _ in 0..words[0].parse::<usize>().unwrap() {
                        write.integers_alone(&[lines.next().unwrap()]);
                    }
                }
            }
            "r" | "b" => {
                write.bytes.push(letter.as_bytes()[0]);
                let header: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
                let count: usize = header[usize::from(letter == "r")].parse().unwrap();
                counts.push(count);
                for _ in 0..count {
                    let words: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
                    write.bytes.push(words[0].as_bytes()[0]);
                    if words[0] == "5" {
                        write.integers_alone(&words[1..]);
                    } else {
                        words[1..].iter().for_each(|word| write.number_alone(word));
                    }
                }
            }
            _ => panic!("segment {letter}"),
        }
    }
    assert_eq!(counts.len(), 2);
    write.bytes
}

struct Writer {
    bytes: Vec<u8>,
    big: bool,
}

impl Writer {
    fn raw(&mut self, little: &[u8]) {
        let mut little = little.to_vec();
        if self.big {
            little.reverse();
        }
        self.bytes.extend(little);
    }

    fn integers(&mut self, letter: char, words: &[&str]) {
        self.bytes.push(u8::try_from(letter).unwrap());
        self.integers_alone(words);
    }

    fn integers_alone(&mut self, words: &[&str]) {
        for word in words {
            self.raw(&word.parse::<i32>().unwrap().to_le_bytes());
        }
    }

    fn number(&mut self, letter: char, word: &str) {
        self.bytes.push(u8::try_from(letter).unwrap());
        self.number_alone(word);
    }

    fn number_alone(&mut self, word: &str) {
        self.raw(&word.parse::<f64>().unwrap().to_le_bytes());
    }
}

/// F and the values of the Jacobian at z, as bits.
fn bits(model: &Model, z: &[f64]) -> Vec<u64> {
    let mut assembler = Assembler::new(model.len());
    assembler.begin();
    let mut f = vec![0.0; model.len()];
    model.evaluate(z, &mut f, Some(&mut assembler)).unwrap();
    f.extend_from_slice(assembler.matrix().data());
    f.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn binary_files_are_the_text_files_to_the_last_bit() {
    for Fixture {
        name,
        bytes,
        model,
        sidecar,
    } in &fixtures()
    {
        let text = std::str::from_utf8(bytes).unwrap();
        let z = numbers(&sidecar["check"]["point"]);
        for big in [false, true] {
            let other = Model::from_bytes(name, &binary(text, big)).unwrap();
            assert_eq!(other.start(), model.start(), "{name}");
            assert_eq!(other.bounds(), model.bounds(), "{name}");
            assert_eq!(bits(&other, &z), bits(model, &z), "{name}");
        }
    }
}

#[test]
fn faults_of_binary_files_name_the_byte() {
    let all = fixtures();
    let fixture = all
        .iter()
        .find(|fixture| fixture.name == "billups")
        .unwrap();
    let text = std::str::from_utf8(&fixture.bytes).unwrap();
    let whole = binary(text, true);
    let head = text
        .lines()
        .take(10)
        .map(|line| line.len() + 1)
        .sum::<usize>();
    let head = head - text.lines().nth(5).unwrap().len() + " 0 0 2 1".len();
    let mut wrong = whole.clone();
    // C, its number, o, its number: the last byte.
    assert_eq!(wrong[head], b'C');
    wrong[head + 9] = 99;
    match Model::from_bytes("billups", &wrong) {
        Err(NlError::Fault { place, fault }) => {
            assert_eq!(place, Place::Byte(head + 6));
            assert_eq!(fault, Fault::Operator { number: 99 });
        }
        other => panic!("{other:?}"),
    }
    let mut other = whole;
    let line: usize = text.lines().take(5).map(|line| line.len() + 1).sum();
    other[line + 5] = b'7';
    let error = Model::from_bytes("billups", &other)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "line 6: kind of arithmetic 7: this reads 1 and 2, IEEE with the low or the high byte first"
    );
}
