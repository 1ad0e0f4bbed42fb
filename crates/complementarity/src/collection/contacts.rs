//! Steps of frictional contact from seeds.

use crate::rng::SplitMix64;
use crate::{BlockRows, FIXED, FrictionData, FrictionProblem};

type Vector = [f64; 3];

/// Radius of the spheres of [`heap`], m.
const RADIUS: f64 = 0.1;

/// Time step of [`heap`], s, and gravity, m/s².
const STEP: f64 = 0.005;
const GRAVITY: f64 = 9.81;

/// Spheres whose surfaces are nearer than this part of a diameter touch in [`heap`].
const REACH: f64 = 1.02;

/// One time step of a heap of spheres of 1 kg and radius 0.1 m on a plane, μ = 0.5: layers of a square lattice, each
/// resting in the hollows of the one below, with contacts between all neighbours.
///
/// Contacts with the ground come first, then pairs in order; the same seed gives the same numbers everywhere. With seed
/// 1, heaps of 10, 30, 100 and 320 spheres have 25, 93, 415 and 1490 contacts. Most of them are hyperstatic.
///
/// # Panics
/// If there are more spheres than numbers for them.
///
/// # Examples
/// ```
/// use signorini_complementarity::collection;
/// let heap = collection::heap(30, 1);
/// assert_eq!((heap.bodies(), heap.contact_count(), heap.dimension()), (30, 93, 3));
/// ```
pub fn heap(spheres: usize, seed: u64) -> FrictionProblem {
    let mut rng = SplitMix64::new(seed);
    let mut centres = layers(spheres);
    for centre in &mut centres {
        *centre = centre.map(|x| x + 1e-3 * signed(&mut rng));
    }
    let mut contacts = BlockRows::new(3, 6);
    let number = |i: usize| u32::try_from(i).expect("as many spheres as numbers");
    let mut touch = |below: Option<usize>, above: usize, normal: Vector| {
        let frame = frame(normal);
        let side = |sign: f64| -> Vec<f64> {
            let arm = normal.map(|n| -sign * RADIUS * n);
            let rows = frame.iter().map(|d| row(d.map(|d| sign * d), arm));
            rows.flatten().collect()
        };
        let below = below.map_or(FIXED, number);
        contacts.push([below, number(above)], &side(-1.0), &side(1.0));
    };
    for (i, centre) in centres.iter().enumerate() {
        if centre[2] < RADIUS + 0.01 {
            touch(None, i, [0.0, 0.0, 1.0]);
        }
    }
    for (i, a) in centres.iter().enumerate() {
        for (j, b) in centres.iter().enumerate().skip(i + 1) {
            let offset = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
            if length(offset) <= 2.0 * RADIUS * REACH {
                touch(Some(j), i, unit(offset));
            }
        }
    }
    let scales = [0.1, 0.1, 0.1, 1.0, 1.0, 1.0];
    let falling = |k: usize, v: f64| {
        if k % 6 == 2 {
            v - (GRAVITY * STEP + 0.1)
        } else {
            v
        }
    };
    let free_velocity = (0..6 * spheres)
        .map(|k| falling(k, signed(&mut rng) * scales[k % 6]))
        .collect();
    let count = contacts.len();
    let inertia = 0.4 * RADIUS * RADIUS;
    build(FrictionData {
        dofs: 6,
        mass: (0..spheres)
            .flat_map(|_| {
                block(
                    1.0,
                    [
                        [inertia, 0.0, 0.0],
                        [0.0, inertia, 0.0],
                        [0.0, 0.0, inertia],
                    ],
                )
            })
            .collect(),
        free_velocity,
        contacts,
        bias: vec![0.0; 3 * count],
        mu: vec![0.5; count],
        ..FrictionData::default()
    })
}

/// Centres of the undisturbed lattice, from the ground up.
fn layers(spheres: usize) -> Vec<Vector> {
    // The integer nearest to the cube root of half of the spheres, but at least 2.
    let cube = |s: f64| 2.0 * s * s * s;
    let nearest = (2..=spheres.max(2)).find(|s: &usize| cube(*s as f64 + 0.5) > spheres as f64);
    let side = nearest.unwrap_or(2);
    let mut centres = Vec::with_capacity(spheres);
    for layer in 0.. {
        let off = 0.5 * f64::from(u8::from(layer % 2 == 1));
        for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
            if centres.len() == spheres {
                return centres;
            }
            let height = RADIUS + f64::from(layer) * std::f64::consts::SQRT_2 * RADIUS;
            let place = |i: usize| (i as f64 + off) * 2.0 * RADIUS;
            centres.push([place(i), place(j), height]);
        }
    }
    centres
}

/// A small hostile step: 1 to 8 contacts among 1 to 4 bodies and the ground, 2 to 5 rows per contact.
///
/// Masses spread over six powers of ten, μ is 0, 10 or anything between, and a third of the contacts repeat an earlier
/// one, exactly or at another point of the same surface. Elliptic cones occur for 3 and 4 rows. Every normal bias is ≥ 0,
/// so that no contact objects to v = 0, and the step with pyramids has an answer whatever the seed.
///
/// # Panics
/// Never: every seed makes a valid problem.
///
/// # Examples
/// ```
/// use signorini_complementarity::collection;
/// let step = collection::random_contacts(7);
/// assert!((1..=8).contains(&step.contact_count()) && (2..=5).contains(&step.dimension()));
/// assert_eq!(step, collection::random_contacts(7));
/// ```
pub fn random_contacts(seed: u64) -> FrictionProblem {
    let mut rng = SplitMix64::new(seed ^ 0x000F_1C71_0115);
    let dimension = 2 + rng.below(4);
    let (bodies, count) = (1 + rng.below(4), 1 + rng.below(8));
    let dofs = if dimension == 2 { 3 } else { 6 };
    let mut data = FrictionData {
        dofs,
        contacts: BlockRows::new(dimension, dofs),
        ..FrictionData::default()
    };
    for _ in 0..bodies {
        let mass = power(&mut rng, -3.0, 3.0);
        data.mass.extend(random_block(mass, dofs, &mut rng));
    }
    let speed = power(&mut rng, -1.0, 1.0);
    data.free_velocity = (0..dofs * bodies)
        .map(|_| speed * signed(&mut rng))
        .collect();
    let elliptic = (3..=4).contains(&dimension) && rng.below(2) == 0;
    let mut points: Vec<Point> = Vec::new();
    for _ in 0..count {
        let point = match points.len() {
            0 => Point::random(bodies, &mut rng),
            earlier if rng.below(3) == 0 => points[rng.below(earlier)].again(&mut rng),
            _ => Point::random(bodies, &mut rng),
        };
        let [first, second] = point.rows(dimension);
        data.contacts.push(point.bodies, &first, &second);
        points.push(point);
        let gap = [0.0, 0.1 * speed * rng.uniform()][rng.below(2)];
        data.bias.push(gap);
        data.bias.extend((1..dimension).map(|_| 0.0));
        data.mu.push(coefficient(&mut rng, 10.0));
        if dimension == 5 {
            data.rolling.push(coefficient(&mut rng, 1.0));
        }
        if elliptic {
            // Torsion has the size of a contact patch.
            let factors = (1..dimension).map(|k| if k == 3 { 0.05 } else { 1.0 });
            let factors = factors.map(|e| e * power(&mut rng, -0.5, 0.5));
            data.ellipse.extend(factors.collect::<Vec<_>>());
        }
    }
    build(data)
}

/// Two bodies, the normal from the first into the second, and the arms from their centres to the point.
#[derive(Clone)]
struct Point {
    bodies: [u32; 2],
    normal: Vector,
    arms: [Vector; 2],
}

impl Point {
    fn random(bodies: usize, rng: &mut SplitMix64) -> Self {
        let second = rng.below(bodies);
        // The ground takes part as often as all other bodies together.
        let first = match rng.below(2 * bodies) {
            body if body < bodies && body != second => u32::try_from(body).unwrap_or(FIXED),
            _ => FIXED,
        };
        let mut vector = || [signed(rng), signed(rng), signed(rng)];
        let normal = unit(vector());
        let arms = [vector(), vector()];
        Self {
            bodies: [first, u32::try_from(second).unwrap_or(FIXED)],
            normal,
            arms,
        }
    }

    /// The same contact, or one beside it on the same plane.
    fn again(&self, rng: &mut SplitMix64) -> Self {
        let mut point = self.clone();
        if rng.below(2) == 0 {
            let tangent = frame(self.normal)[1];
            let shift = signed(rng);
            for arm in &mut point.arms {
                for (a, t) in arm.iter_mut().zip(tangent) {
                    *a += shift * t;
                }
            }
        }
        point
    }

    fn rows(&self, dimension: usize) -> [Vec<f64>; 2] {
        let side = |sign: f64, arm: Vector| -> Vec<f64> {
            if dimension == 2 {
                return plane_rows(sign, self.normal, arm);
            }
            let frame = frame(self.normal).map(|d| d.map(|d| sign * d));
            let mut rows: Vec<f64> = frame.iter().flat_map(|d| row(*d, arm)).collect();
            let turns = match dimension {
                4 => &frame[..1],
                5 => &frame[1..],
                _ => &[],
            };
            for d in turns {
                rows.extend([0.0, 0.0, 0.0, d[0], d[1], d[2]]);
            }
            rows
        };
        [side(-1.0, self.arms[0]), side(1.0, self.arms[1])]
    }
}

/// Normal and tangent in the plane of the first two axes.
fn plane_rows(sign: f64, normal: Vector, arm: Vector) -> Vec<f64> {
    let size = normal[0].hypot(normal[1]).max(f64::MIN_POSITIVE);
    let n = [normal[0] / size, normal[1] / size];
    [n, [-n[1], n[0]]]
        .into_iter()
        .flat_map(|d| [d[0], d[1], arm[0] * d[1] - arm[1] * d[0]].map(|x| sign * x))
        .collect()
}

/// Mass block of a body of size about 1 m.
fn random_block(mass: f64, dofs: usize, rng: &mut SplitMix64) -> Vec<f64> {
    if dofs == 3 {
        let inertia = mass * (0.1 + rng.uniform());
        return vec![mass, 0.0, 0.0, 0.0, mass, 0.0, 0.0, 0.0, inertia];
    }
    let axis = [signed(rng), signed(rng), signed(rng)];
    let inertia =
        |i: usize, j: usize| mass * (0.2 * f64::from(u8::from(i == j)) + 0.3 * axis[i] * axis[j]);
    block(mass, [0, 1, 2].map(|i| [0, 1, 2].map(|j| inertia(i, j))))
}

fn block(mass: f64, inertia: [Vector; 3]) -> Vec<f64> {
    let mut block = vec![0.0; 36];
    for i in 0..3 {
        block[7 * i] = mass;
        block[6 * (i + 3) + 3..6 * (i + 3) + 6].copy_from_slice(&inertia[i]);
    }
    block
}

/// 0, the most, or any size below it.
fn coefficient(rng: &mut SplitMix64, most: f64) -> f64 {
    match rng.below(8) {
        0 => 0.0,
        1 => most,
        _ => most * power(rng, -3.0, 0.0),
    }
}

fn power(rng: &mut SplitMix64, from: f64, to: f64) -> f64 {
    10.0_f64.powf(from + (to - from) * rng.uniform())
}

/// Uniform in [−1, 1).
fn signed(rng: &mut SplitMix64) -> f64 {
    -1.0 + 2.0 * rng.uniform()
}

/// A row d · (v + ω × arm) over (v, ω).
fn row(d: Vector, arm: Vector) -> [f64; 6] {
    let turn = cross(arm, d);
    [d[0], d[1], d[2], turn[0], turn[1], turn[2]]
}

/// n, t₁ and t₂ = n × t₁, with t₁ across the axis that n is farthest from.
fn frame(n: Vector) -> [Vector; 3] {
    let mut axis = [0.0; 3];
    let sizes = n.map(f64::abs);
    let smallest = (1..3).fold(0, |s, k| if sizes[k] < sizes[s] { k } else { s });
    axis[smallest] = 1.0;
    let first = unit(cross(n, axis));
    [n, first, cross(n, first)]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn length(a: Vector) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn unit(a: Vector) -> Vector {
    let size = length(a).max(f64::MIN_POSITIVE);
    a.map(|x| x / size)
}

#[track_caller]
fn build(data: FrictionData) -> FrictionProblem {
    FrictionProblem::new(data).expect("the collection is well formed")
}
