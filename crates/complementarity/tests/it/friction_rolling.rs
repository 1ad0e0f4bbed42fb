//! Torsion and rolling moments, alone and together, by cones and by pyramids.

use signorini_complementarity::io::FrictionFile;
use signorini_complementarity::{
    BlockRows, FIXED, FrictionData, FrictionLaw, FrictionProblem, FrictionSettings, Lemke,
    PyramidForm, ResidualMeasure, Solver, Start, collection, natural_residual, solve_friction,
};

const LAWS: [FrictionLaw; 2] = [FrictionLaw::Coulomb, FrictionLaw::Convex];
const FORMS: [PyramidForm; 2] = [PyramidForm::Mixed, PyramidForm::Reduced];
/// Half axis of torsion and coefficient of rolling friction, m.
const TORSION: f64 = 0.02;
const ROLLING: f64 = 0.01;

/// A heap of balls with this many rows per contact: 4 torsion, 5 rolling moments, 6 both.
fn heap(rows: usize, rolling: f64) -> FrictionProblem {
    let mut data = collection::heap(10, 2).into_data();
    let mut contacts = BlockRows::new(rows, 6);
    for (k, cols) in data.contacts.cols().iter().enumerate() {
        let sides = [0, 1].map(|side| {
            let mut block = data.contacts.block(k, side).to_vec();
            let axes: [Vec<f64>; 3] = std::array::from_fn(|i| block[6 * i..6 * i + 3].to_vec());
            let turns = match rows {
                4 => &axes[..1],
                5 => &axes[1..],
                _ => &axes[..],
            };
            for axis in turns {
                block.extend([0.0; 3].iter().chain(axis));
            }
            block
        });
        contacts.push(*cols, &sides[0], &sides[1]);
    }
    let count = contacts.len();
    let bias = data.bias.chunks_exact(3);
    data.bias = bias
        .flat_map(|own| own.iter().copied().chain((3..rows).map(|_| 0.0)))
        .collect();
    data.contacts = contacts;
    if rows > 4 {
        data.rolling = vec![rolling; count];
    }
    if rows != 5 {
        let factors = [1.0, 1.0, TORSION, 1.0, 1.0];
        data.ellipse = factors[..rows - 1].repeat(count);
    }
    FrictionProblem::new(data).unwrap()
}

fn by_cones(problem: &FrictionProblem) -> Vec<f64> {
    let settings = FrictionSettings {
        tolerance: 1e-10,
        measure: ResidualMeasure::Scaled,
    };
    let answer = solve_friction(problem, &settings);
    assert!(answer.solution.status.is_solved());
    assert!(problem.residuals(&answer.solution.z).scaled <= 1e-10);
    answer.solution.z
}

fn velocity(problem: &FrictionProblem, z: &[f64]) -> Vec<f64> {
    let mut v = vec![0.0; problem.nv()];
    problem.velocity_into(z, &[], &mut v);
    v
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

#[test]
fn cones_know_torsion_and_rolling_moments_together() {
    for law in LAWS {
        for rows in [4, 5, 6] {
            by_cones(&heap(rows, ROLLING).with_law(law));
        }
    }
    // Without rolling friction six rows are four: velocities of the convex law are unique.
    let [four, six] = [4, 6].map(|rows| {
        let problem = heap(rows, 0.0).with_law(FrictionLaw::Convex);
        velocity(&problem, &by_cones(&problem))
    });
    let off = distance(&four, &six);
    assert!(off < 1e-7, "{off:e}");
}

/// Impulses of pyramids are in the cones, and friction takes energy; with many directions rolling moments are those of cones.
#[test]
fn pyramids_are_inscribed_and_tend_to_the_cones() {
    for law in LAWS {
        for rows in [4, 5, 6] {
            let problem = heap(rows, ROLLING).with_law(law);
            let exact = velocity(&problem, &by_cones(&problem));
            let mut errors = Vec::new();
            for (directions, form) in [(8, FORMS[0]), (8, FORMS[1]), (32, FORMS[0])] {
                let mut p = vec![0.0; problem.contact_count() * rows];
                let (linear, z) = if law == FrictionLaw::Coulomb {
                    let pyramid = problem.pyramid(directions, form);
                    let z = Lemke::default().solve(pyramid.problem(), Start::Cold).z;
                    pyramid.impulses_into(&z, &mut p);
                    (pyramid.problem().clone(), z)
                } else {
                    let pyramid = problem.convex_pyramid(directions, form);
                    let z = Lemke::default().solve(pyramid.problem(), Start::Cold).z;
                    pyramid.impulses_into(&z, &mut p);
                    (pyramid.problem().clone(), z)
                };
                let residual = natural_residual(&linear, &z);
                assert!(residual <= 1e-9, "{law:?} {rows}: {residual:e}");
                let v = velocity(&problem, &p);
                let mut u = vec![0.0; p.len()];
                problem.relative_velocity_into(&v, &mut u);
                for (k, (p, u)) in p.chunks_exact(rows).zip(u.chunks_exact(rows)).enumerate() {
                    let twist = if rows == 5 { 0.0 } else { p[3] / TORSION };
                    let bound = problem.mu()[k] * p[0] * (1.0 + 1e-9) + 1e-12;
                    assert!(p[1].hypot(p[2]).hypot(twist) <= bound);
                    let tangents = if rows == 5 { 1..3 } else { 1..4 };
                    let power =
                        |range: std::ops::Range<usize>| range.map(|i| p[i] * u[i]).sum::<f64>();
                    assert!(power(tangents) <= 1e-12);
                    if rows > 4 {
                        let m = rows - 2;
                        assert!(p[m].hypot(p[m + 1]) <= ROLLING * p[0] * (1.0 + 1e-9) + 1e-12);
                        assert!(power(m..rows) <= 1e-12);
                    }
                }
                errors.push(distance(&v, &exact));
            }
            let size = distance(&exact, &vec![0.0; exact.len()]);
            if rows == 5 {
                assert!(errors[2] < 0.02 * size, "{law:?}: {errors:?} of {size}");
            }
            // Torsion has two directions whatever the tangents have.
            assert!(
                errors[0] < 0.3 * size,
                "{law:?} {rows}: {errors:?} of {size}"
            );
        }
    }
}

/// One body on one contact that holds it in all of its rows.
fn held(rows: usize) -> FrictionProblem {
    let mut contacts = BlockRows::new(rows, 6);
    let mut block = vec![0.0; rows * 6];
    (0..rows).for_each(|i| block[7 * i] = 1.0);
    contacts.push([FIXED, 0], &vec![0.0; rows * 6], &block);
    let mut mass = vec![0.0; 36];
    (0..6).for_each(|i| mass[7 * i] = 1.0 + i as f64);
    let mut ellipse = vec![0.8, 1.0, TORSION, 1.0, 1.0];
    ellipse.truncate(rows - 1);
    FrictionProblem::new(FrictionData {
        dofs: 6,
        mass,
        free_velocity: vec![-1.0, 0.05, -0.04, 1e-3, 5e-4, -3e-4],
        contacts,
        bias: vec![0.0; rows],
        mu: vec![0.5],
        rolling: if rows > 4 { vec![ROLLING] } else { Vec::new() },
        ellipse: if rows == 5 { Vec::new() } else { ellipse },
        ..FrictionData::default()
    })
    .unwrap()
}

#[test]
fn points_of_cones_solve_pyramids_where_all_is_held() {
    for rows in [4, 5, 6] {
        let problem = held(rows);
        let q = problem.q();
        let z: Vec<f64> = q.iter().zip(1..).map(|(q, m)| -q * f64::from(m)).collect();
        assert!(problem.residuals(&z).scaled < 1e-14);
        for form in FORMS {
            let pyramid = problem.pyramid(8, form);
            let point = pyramid.point(&problem, &z);
            let residual = natural_residual(pyramid.problem(), &point);
            assert!(residual < 1e-13, "{rows}: {residual:e}");
            let mut again = vec![0.0; rows];
            pyramid.impulses_into(&point, &mut again);
            assert!(distance(&again, &z) < 1e-15);
            let convex = problem.convex_pyramid(8, form);
            let point = convex.point(&problem, &z);
            let residual = natural_residual(convex.problem(), &point);
            assert!(residual < 1e-13, "{rows}, convex: {residual:e}");
            convex.impulses_into(&point, &mut again);
            assert!(distance(&again, &z) < 1e-15);
        }
    }
}

/// A disc of the plane, 1 kg and 1/2 kg m², comes down with 2 m/s, slides with 3 m/s and turns with 4 rad/s.
fn planar() -> FrictionProblem {
    let mut contacts = BlockRows::new(5, 3);
    let mut block = [0.0; 15];
    // Normal along y, tangent along x, and the moment, as a contact of the plane whose tangent does not see the spin.
    (block[1], block[3], block[11]) = (1.0, 1.0, 1.0);
    contacts.push([FIXED, 0], &[0.0; 15], &block);
    FrictionProblem::new(FrictionData {
        dofs: 3,
        mass: vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5],
        free_velocity: vec![3.0, -2.0, 4.0],
        contacts,
        bias: vec![0.0; 5],
        mu: vec![0.5],
        rolling: vec![0.25],
        ..FrictionData::default()
    })
    .unwrap()
}

#[test]
fn the_plane_has_two_directions_of_each() {
    let problem = planar();
    assert!(problem.is_planar() && !held(5).is_planar());
    let mut pyramid = problem.pyramid(8, PyramidForm::Reduced);
    assert_eq!(pyramid.problem().len(), 7);
    assert_eq!(
        (pyramid.facets(0), pyramid.slip_index(0)),
        (Some(1..3), Some(3))
    );
    assert_eq!(
        (pyramid.rolling_facets(0), pyramid.rolling_index(0)),
        (Some(4..6), Some(6))
    );
    let solve = |pyramid: &signorini_complementarity::Pyramid| {
        let z = Lemke::default().solve(pyramid.problem(), Start::Cold).z;
        let mut p = vec![0.0; 5];
        pyramid.impulses_into(&z, &mut p);
        (p, z[3], z[6])
    };
    // c = 2, friction 1 of 3, and a moment of 1/2 that takes 1 of 4.
    assert_eq!(solve(&pyramid), (vec![2.0, -1.0, 0.0, -0.5, 0.0], 2.0, 3.0));
    pyramid.widen_rolling(0, 0.25);
    assert_eq!(solve(&pyramid).2, 2.5);
    let z = by_cones(&problem);
    assert!(distance(&z, &[2.0, -1.0, 0.0, -0.5, 0.0]) < 1e-9, "{z:?}");
    // The convex law parts with μ |u_T| + μ_r |u_R|, by cones and pyramids alike.
    let problem = problem.with_law(FrictionLaw::Convex);
    let z = by_cones(&problem);
    for form in FORMS {
        let pyramid = problem.convex_pyramid(8, form);
        let solution = Lemke::default().solve(pyramid.problem(), Start::Cold);
        let mut p = vec![0.0; 5];
        pyramid.impulses_into(&solution.z, &mut p);
        assert!(distance(&z, &p) < 1e-8, "{z:?} {p:?}");
        let mut u = [0.0; 5];
        problem.relative_velocities_into(&p, &mut u);
        let expected = 0.5 * u[1].abs() + 0.25 * u[3].abs();
        assert!((u[0] - expected).abs() < 1e-12 && u[0] > 1.0);
    }
}

#[test]
fn six_rows_have_a_file() {
    let problem = held(6);
    let text = serde_json::json!({
        "format": "friction-contact-1", "kind": "rolling", "dimension": 6, "contacts": 1,
        "W": { "rows": 6, "cols": 6, "i": [0, 1, 2, 3, 4, 5], "j": [0, 1, 2, 3, 4, 5],
            "v": (1..7).map(|m| 1.0 / f64::from(m)).collect::<Vec<f64>>() },
        "q": problem.q(), "mu": [0.5], "mu_r": [ROLLING], "ellipse": [0.8, 1.0, TORSION, 1.0, 1.0]
    });
    let file = FrictionFile::from_json(&text.to_string()).unwrap();
    let read = file.problem().unwrap();
    assert_eq!((read.laws(), read.q()), (problem.laws(), problem.q()));
    assert_eq!(
        FrictionFile::from_json(&file.to_json().unwrap()).unwrap(),
        file
    );
    #[cfg(feature = "hdf5")]
    {
        let mut round = file;
        round.laws.ellipse.clear();
        let error = round.to_hdf5().unwrap_err().to_string();
        assert!(
            error.contains("no place for torsion beside rolling"),
            "{error}"
        );
    }
}
