use signorini_complementarity::natural_residual;

use super::*;

/// A dense copy of M by rows.
fn dense(lcp: &Lcp) -> Vec<f64> {
    let n = lcp.len();
    let mut m = vec![0.0; n * n];
    for (&value, (i, j)) in lcp.m() {
        m[i * n + j] += value;
    }
    m
}

/// Family, size and seed.
type Key = (&'static str, usize, u64);

/// An entry of M and one of q, a weighted sum of M and one of q, as another program computes them: that of the Python
/// description from which the families were taken. Products of matrices are equal to rounding there, not to the bit.
const REFERENCES: [(Key, [f64; 4]); 9] = [
    (
        ("pd", 10, 1),
        [
            0.111_953_118_687_439_82,
            0.819_519_301_166_872_9,
            19.057_920_867_114_76,
            12.060_816_284_101_07,
        ],
    ),
    (
        ("psd", 11, 2),
        [
            0.026_949_324_614_276_716,
            -0.018_936_704_720_430_745,
            11.076_491_461_662_938,
            7.613_095_826_911_03,
        ],
    ),
    (
        ("pmat", 10, 3),
        [
            0.077_672_526_267_138_93,
            -0.026_060_453_187_122_54,
            83.177_522_056_412_06,
            22.593_254_663_017_83,
        ],
    ),
    (
        ("pd", 100, 2),
        [
            -0.039_622_434_226_589_51,
            -0.086_731_834_108_848_77,
            337.182_917_615_548_04,
            7.529_495_766_251_442,
        ],
    ),
    (
        ("pmat", 100, 1),
        [
            0.001_044_647_893_145_553_3,
            3.168_025_229_146_47,
            -86.523_512_895_830_24,
            77.523_236_908_015_59,
        ],
    ),
    (
        ("st_sph", 30, 1),
        [
            0.0,
            -0.227_372_920_801_270_86,
            95.777_539_855_117_8,
            1.142_013_242_760_723_5,
        ],
    ),
    (
        ("st_sph", 100, 2),
        [
            -0.692_964_968_102_742_6,
            -0.082_526_666_496_191_92,
            268.794_122_268_019_9,
            6.534_871_280_096_373_5,
        ],
    ),
    (
        ("st_box", 40, 1),
        [
            1.5,
            0.024_578_175_726_270_114,
            188.600_000_000_000_1,
            -0.134_275_185_349_059_58,
        ],
    ),
    (
        ("st_box", 120, 2),
        [
            1.5,
            -0.045_383_046_701_391_54,
            233.200_000_000_000_6,
            -1.529_152_543_711_176_6,
        ],
    ),
];

#[test]
fn problems_are_those_of_the_reference_program() {
    for ((name, n, seed), expected) in REFERENCES {
        let family: Family = name.parse().unwrap();
        let instance = family.problem(n, seed);
        let (m, q) = (dense(&instance.lcp), instance.lcp.q());
        assert_eq!(q.len(), n, "{name}");
        let row = |i: usize| (1 + i % 7) as f64;
        let weight = |k: usize| row(k / n) + (3 * (k % n % 5)) as f64;
        // λ has no q: there the entry in the middle was taken.
        let last = if family.directions().is_some() {
            n / 2
        } else {
            n - 1
        };
        let found = [
            m[n / 2 * n + 1],
            q[last],
            m.iter().enumerate().map(|(k, m)| m * weight(k)).sum(),
            q.iter().enumerate().map(|(i, q)| q * row(i)).sum(),
        ];
        // Rounding of sums of n² terms of size one with weights up to 19.
        let tolerance = [1e-14, 1e-14, 1e-12 * (n * n) as f64 / 100.0, 1e-12];
        for ((found, expected), tolerance) in found.iter().zip(expected).zip(tolerance) {
            assert!(
                (found - expected).abs() <= tolerance,
                "{name} {n} {seed}: {found} {expected}"
            );
        }
    }
}

#[test]
fn planted_points_are_solutions() {
    for family in [Family::Psd, Family::DegeneratePsd, Family::CopositivePlus] {
        for (n, seed) in [(2, 1), (5, 2), (30, 3), (31, 4), (120, 5)] {
            let instance = family.problem(n, seed);
            let z = instance.planted.as_ref().unwrap();
            let residual = natural_residual(&instance.lcp, z);
            // Integers do not round.
            let exact = seed % 2 == 0 && family != Family::Psd;
            let limit = if exact { 0.0 } else { 1e-15 };
            assert!(residual <= limit, "{}: {residual:e}", instance.name());
        }
    }
}

#[test]
fn degenerate_solutions_are_degenerate() {
    for family in [Family::DegeneratePsd, Family::CopositivePlus] {
        let instance = family.problem(90, 2);
        let (m, z) = (dense(&instance.lcp), instance.planted.unwrap());
        let w = |i: usize| {
            let row = &m[90 * i..][..90];
            instance.lcp.q()[i] + row.iter().zip(&z).map(|(m, z)| m * z).sum::<f64>()
        };
        let biactive = (0..90).filter(|&i| z[i] == 0.0 && w(i) == 0.0).count();
        assert!((15..45).contains(&biactive), "{family}: {biactive}");
    }
}

#[test]
fn infeasible_problems_carry_a_proof() {
    for family in [Family::InfeasiblePsd, Family::InfeasibleCopositivePlus] {
        for (n, seed) in [(6, 1), (7, 2), (50, 3), (101, 4)] {
            let instance = family.problem(n, seed);
            let x = instance.farkas.as_ref().unwrap();
            let m = dense(&instance.lcp);
            assert!(x.iter().all(|x| *x >= 0.0));
            for j in 0..n {
                let column: f64 = (0..n).map(|i| m[i * n + j] * x[i]).sum();
                assert!(column <= 0.0, "{} {j}", instance.name());
            }
            let product: f64 = x.iter().zip(instance.lcp.q()).map(|(x, q)| x * q).sum();
            assert_eq!(product, -1.0, "{}", instance.name());
        }
    }
}

#[test]
fn copositive_blocks_are_not_positive_semidefinite() {
    let m = dense(&Family::CopositivePlus.problem(30, 1).lcp);
    let pair = |i: usize, j: usize| m[31 * i] + m[31 * j] < 2.0 * m[30 * i + j];
    assert!((0..20).any(|i| (0..i).any(|j| pair(i, j))));
}

#[test]
fn both_forms_of_a_contact_problem_belong_together() {
    for (name, n, nearest) in [
        ("st_sph_4", 100, 102),
        ("st_sph_8", 104, 100),
        ("st_box_4", 5, 24),
    ] {
        let family: Family = name.parse().unwrap();
        let instance = family.problem(n, 1);
        assert_eq!(instance.lcp.len(), nearest, "{name}");
        let reduced = instance.pyramid(PyramidForm::Reduced).unwrap();
        assert_eq!(reduced.problem().m(), instance.lcp.m());
        let mixed = instance.pyramid(PyramidForm::Mixed).unwrap();
        let velocities = instance.friction.as_ref().unwrap().nv();
        assert_eq!(mixed.problem().len(), nearest + velocities);
    }
    assert_eq!(Family::Pd.problem(5, 1).pyramid(PyramidForm::Mixed), None);
}

#[test]
fn names_are_read_back() {
    for family in Family::ALL {
        assert_eq!(family.name().parse(), Ok(family));
    }
    assert_eq!("st_sph".parse(), Ok(Family::Spheres { directions: 8 }));
    for wrong in [
        "", "st_sph_", "st_sph_2", "st_sph8", "st_boxes", "PD", "pd_8",
    ] {
        let error = wrong.parse::<Family>().unwrap_err();
        assert_eq!(error.to_string(), format!("there is no family {wrong:?}"));
    }
}

#[test]
fn sizes_are_log_uniform() {
    let sizes = sizes(1000, 1);
    assert!(sizes.iter().all(|n| (5..=1000).contains(n)));
    assert_eq!(sizes.iter().filter(|n| **n == 1000).count(), 10);
    // Half of them below √(5 · 1000) = 71.
    let small = sizes.iter().filter(|n| **n <= 71).count();
    assert!((440..550).contains(&small), "{small}");
    assert_eq!(super::sizes(3, 1), [1000; 3]);
}
