//! FCLIB's HDF5 layout: files that the C library wrote, round trips to the bit, and errors that name the object.

use signorini_complementarity::io::{FrictionFile, FrictionForm, ReadError};

use crate::friction_files::fixtures;

fn json(name: &str) -> FrictionFile {
    let all = fixtures();
    let (_, path) = all.iter().find(|(file, _)| file.starts_with(name)).unwrap();
    FrictionFile::from_path(path).unwrap()
}

/// Rows compressed, triplets, and columns compressed; local, global and rolling.
#[test]
fn files_of_the_c_library_are_read() {
    for name in ["Rover11211", "GFC3D_TwoRods1", "RFC3D_sphere_1"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/fclib");
        let file = FrictionFile::from_hdf5(format!("{folder}/{name}.hdf5")).unwrap();
        let expected = json(name);
        assert_eq!(
            (&file.form, &file.laws),
            (&expected.form, &expected.laws),
            "{name}"
        );
        assert_eq!(file.name, name);
        assert_eq!(file.note, format!("after {}", expected.source));
        let published = expected.reference.unwrap();
        match (&file.reference, &file.record) {
            (Some(reference), None) => {
                assert_eq!((&reference.r, &reference.u), (&published.r, &published.u));
                assert!(reference.residual_relative < 1e-14);
            }
            (None, Some(record)) => assert_eq!(Some(&record.u), published.u.as_ref()),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn what_is_written_is_read_back() {
    for (name, path) in fixtures() {
        let mut file = FrictionFile::from_path(path).unwrap();
        if file.laws.mu.len() > 100 {
            continue;
        }
        file.note = "ein Maß".to_owned();
        let back = FrictionFile::from_hdf5_bytes(file.to_hdf5().unwrap()).unwrap();
        assert_eq!((&back.form, &back.laws), (&file.form, &file.laws), "{name}");
        assert_eq!((&back.name, &back.note), (&file.name, &file.note));
        let (a, b) = (back.reference.unwrap(), file.reference.unwrap());
        assert_eq!((a.r, a.u), (b.r, b.u));
    }
}

#[test]
fn faults_name_the_object() {
    let fault = |bytes: Vec<u8>| {
        FrictionFile::from_hdf5_bytes(bytes)
            .unwrap_err()
            .to_string()
    };
    assert!(fault(b"no HDF5".to_vec()).starts_with("`/`: "));
    let file = json("Rover11211");
    let good = file.to_hdf5().unwrap();
    for length in [good.len() / 4, good.len() / 2, good.len() - 8] {
        let error = FrictionFile::from_hdf5_bytes(good[..length].to_vec()).unwrap_err();
        assert!(matches!(error, ReadError::Hdf5 { .. }), "{error}");
    }
    let mut ellipse = file.clone();
    ellipse.laws.ellipse = vec![1.0, 2.0];
    let error = ellipse.to_hdf5().unwrap_err().to_string();
    assert_eq!(error, "`ellipse`: FCLIB has no place for ellipses");
    let mut wrong = file;
    if let FrictionForm::Local { q, .. } = &mut wrong.form {
        q.pop();
    }
    let error = wrong.to_hdf5().unwrap_err().to_string();
    assert_eq!(error, "q has length 2, expected 3");
}
