//! One step of the geometrically implicit scheme, CBAT2007 (5), (9)–(11), from the rows and derivatives alone.

use nalgebra::{DMatrix, DVector, Vector2, Vector3};
use signorini_dynamics::{
    Body, ContactMaterial, Inertia, PairDerivatives, PairLayout, PairPoint, PairRows, Pairs,
    Rotation, State, System, World, WorldSettings,
};
use signorini_geometry::{Ball, ConvexSet, Ellipsoid, HalfSpace, Intersection, Part, Pose};

use crate::support::kinetic;

/// A body of mass 1 on the ground.
fn on_the_ground<const D: usize>(
    shape: ConvexSet<D>,
    inertia: f64,
    height: f64,
    friction: f64,
) -> World<D> {
    let material = ContactMaterial {
        friction,
        ..ContactMaterial::default()
    };
    let mut world = World::with_settings(WorldSettings {
        material,
        ..WorldSettings::default()
    })
    .unwrap();
    world.add(Body::fixed("ground", HalfSpace::up())).unwrap();
    let mut body = Body {
        shape: Some(shape.into()),
        ..Body::moving("body", 1.0, Inertia::Scalar(inertia))
    };
    body.position[D - 1] = height;
    world.add(body).unwrap();
    world
}

/// The unknowns (v, z, p, σ) of one step with one pair on the second body, which is the only one that moves.
struct Step<'a> {
    system: &'a dyn System,
    state: &'a State,
    pair: PairLayout,
    h: f64,
    /// Half axes of the friction ellipsoid: 1 along the tangents, this for the torsion, m.
    torsion: f64,
}

impl Step<'_> {
    fn len(&self) -> usize {
        self.system.nv() + self.pair.nz + self.pair.np + 1
    }

    fn half_axis(&self, k: usize) -> f64 {
        if k == self.system.dimension() {
            self.torsion
        } else {
            1.0
        }
    }

    /// F(u) and its analytic Jacobian.
    fn evaluate(&self, u: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
        let (system, pair, h) = (self.system, &self.pair, self.h);
        let (nv, nz, np) = (system.nv(), pair.nz, pair.np);
        let u = u.as_slice();
        let (v, z) = (&u[..nv], &u[nv..nv + nz]);
        let (p, sigma) = (&u[nv + nz..][..np], u[nv + nz + np]);
        let implicit = system.implicit().unwrap();
        let mut q = vec![0.0; system.nq()];
        system.retract(&self.state.q, v, h, Rotation::Printed, &mut q);
        let (mut rows, mut derivatives) = (PairRows::default(), PairDerivatives::default());
        implicit.rows(pair, &q, z, &mut rows);
        implicit.derivatives(pair, &PairPoint { q: &q, z, p, v }, &mut derivatives);
        let (mut mass, mut tangent) = (Vec::new(), Vec::new());
        system.mass_blocks(&self.state.q, &mut mass);
        system.retract_tangent(&self.state.q, v, h, Rotation::Printed, &mut tangent);
        let mut free = vec![0.0; nv];
        system.free_velocity(self.state.t, &self.state.q, &self.state.v, h, &mut free);

        // Derivatives of a row of the pair by (v, z): the body's displacement is the tangent times a change of v.
        let by_unknowns = |matrix: &[f64], row: usize| -> Vec<f64> {
            let row = &matrix[row * pair.columns()..][..pair.columns()];
            let moved = &row[nz + nv..];
            let by_v = (0..nv).map(|j| (0..nv).map(|i| moved[i] * tangent[i * nv + j]).sum());
            by_v.chain(row[..nz].iter().copied()).collect()
        };
        let direction = |k: usize| &rows.directions[k * 2 * nv + nv..][..nv];
        let slip = |k: usize| -> f64 { direction(k).iter().zip(v).map(|(w, v)| w * v).sum() };

        let n = self.len();
        let (mut f, mut j) = (DVector::zeros(n), DMatrix::zeros(n, n));
        for i in 0..nv {
            f[i] = (0..np).map(|k| direction(k)[i] * p[k]).sum::<f64>();
            for c in 0..nv {
                f[i] -= mass[i * nv + c] * (v[c] - free[c]);
                j[(i, c)] = -mass[i * nv + c];
            }
            for (c, x) in by_unknowns(&derivatives.wrench, nv + i).iter().enumerate() {
                j[(i, c)] += x;
            }
            for k in 0..np {
                j[(i, nv + nz + k)] = direction(k)[i];
            }
        }
        for i in 0..nz {
            // Rows after the equations are complementary to their multipliers.
            let (value, by_z, by_row) = if i < pair.equations {
                (rows.closest[i], 0.0, 1.0)
            } else {
                fischer_burmeister(z[i], rows.closest[i])
            };
            f[nv + i] = value;
            for (c, x) in by_unknowns(&derivatives.closest, i).iter().enumerate() {
                j[(nv + i, c)] = by_row * x;
            }
            j[(nv + i, nv + i)] += by_z;
        }
        let (normal, last) = (nv + nz, nv + nz + np);
        let (value, by_p, by_gap) = fischer_burmeister(p[0], rows.gap / h);
        f[normal] = value;
        j[(normal, normal)] = by_p;
        for (c, x) in by_unknowns(&derivatives.gap, 0).iter().enumerate() {
            j[(normal, c)] = by_gap * x / h;
        }
        let mu = pair.friction;
        let limit = mu * p[0];
        let mut zeta = limit;
        let mut zeta_by_p = vec![0.0; np];
        zeta_by_p[0] = mu;
        for k in 1..np {
            let square = self.half_axis(k).powi(2);
            let row = normal + k;
            f[row] = square * limit * slip(k) + p[k] * sigma;
            j[(row, normal)] = square * mu * slip(k);
            j[(row, row)] += sigma;
            j[(row, last)] = p[k];
            for (c, x) in by_unknowns(&derivatives.slip, k).iter().enumerate() {
                j[(row, c)] += square * limit * x;
            }
            for (c, w) in direction(k).iter().enumerate() {
                j[(row, c)] += square * limit * w;
            }
            zeta -= p[k] * p[k] / (square * limit);
            zeta_by_p[0] += p[k] * p[k] / (square * limit * p[0]);
            zeta_by_p[k] = -2.0 * p[k] / (square * limit);
        }
        let (value, by_sigma, by_zeta) = fischer_burmeister(sigma, zeta);
        f[last] = value;
        j[(last, last)] = by_sigma;
        for (k, x) in zeta_by_p.iter().enumerate() {
            j[(last, normal + k)] = by_zeta * x;
        }
        (f, j)
    }

    /// Newton with halved steps from the velocity at hand; the number of iterations.
    fn solve(&self) -> (DVector<f64>, usize) {
        let (nv, nz) = (self.system.nv(), self.pair.nz);
        let mut u = DVector::zeros(self.len());
        u.as_mut_slice()[..nv].copy_from_slice(&self.state.v);
        let implicit = self.system.implicit().unwrap();
        let z = &mut u.as_mut_slice()[nv..nv + nz];
        implicit.start(&self.pair, &self.state.q, z).unwrap();
        u[nv + nz] = 9.81 * self.h;
        u[self.len() - 1] = 0.1;
        for iteration in 0..60 {
            let (f, jacobian) = self.evaluate(&u);
            if f.amax() < 1e-14 {
                return (u, iteration);
            }
            let step = jacobian.lu().solve(&f).unwrap();
            let mut part = 1.0;
            while part > 1e-4 && self.evaluate(&(&u - &step * part)).0.norm() >= f.norm() {
                part *= 0.5;
            }
            if part <= 1e-4 {
                assert!(f.amax() < 1e-13, "no descent at {:e}", f.amax());
                return (u, iteration);
            }
            u -= step * part;
        }
        panic!("no convergence: {:e}", self.evaluate(&u).0.amax());
    }
}

/// a + b − √(a² + b²) and its derivatives.
fn fischer_burmeister(a: f64, b: f64) -> (f64, f64, f64) {
    let norm = a.hypot(b);
    if norm == 0.0 {
        return (0.0, 1.0, 1.0);
    }
    (a + b - norm, 1.0 - a / norm, 1.0 - b / norm)
}

/// Steps of 0.01 s from the initial state with velocity v; the last state.
fn run<const D: usize>(world: &World<D>, v: &[f64], torsion: f64, steps: usize) -> State {
    run_with_step(world, v, torsion, (0.01, steps))
}

fn run_with_step<const D: usize>(
    world: &World<D>,
    v: &[f64],
    torsion: f64,
    run: (f64, usize),
) -> State {
    let mut state = world.initial_state();
    state.v.copy_from_slice(v);
    continue_from(world, state, torsion, run, &mut |_, _| {})
}

/// Steps from a state; `observe` sees each new state and the local unknowns of its pair.
fn continue_from<const D: usize>(
    world: &World<D>,
    mut state: State,
    torsion: f64,
    (h, steps): (f64, usize),
    observe: &mut dyn FnMut(&State, &[f64]),
) -> State {
    let mut pairs = Pairs::default();
    let (mut rows, mut next) = (PairRows::default(), state.q.clone());
    for _ in 0..steps {
        let implicit = world.implicit().unwrap();
        implicit.pairs(&state.q, 0.1, &mut pairs).unwrap();
        let step = Step {
            system: world,
            state: &state,
            pair: pairs.layouts[0],
            h,
            torsion,
        };
        let (u, iterations) = step.solve();
        assert!(iterations <= 30, "{iterations} iterations");
        let (nv, pair) = (world.nv(), step.pair);
        world.retract(
            &state.q,
            &u.as_slice()[..nv],
            h,
            Rotation::Printed,
            &mut next,
        );
        implicit.rows(&pair, &next, &u.as_slice()[nv..nv + pair.nz], &mut rows);
        assert!(rows.gap.abs() < 1e-13, "gap {:e}", rows.gap);
        state.q.copy_from_slice(&next);
        state.v.copy_from_slice(&u.as_slice()[..nv]);
        state.t += h;
        observe(&state, &u.as_slice()[nv..nv + pair.nz]);
    }
    state
}

/// `cbat2007-disc`: the kinetic energy 6.75 J stays, for the disc and for the ellipse with equal axes.
#[test]
fn a_rolling_disc_keeps_its_energy() {
    let round = Ellipsoid::new(Vector2::new(1.0, 1.0)).unwrap();
    for shape in [ConvexSet::from(Ball::new(1.0).unwrap()), round.into()] {
        let world = on_the_ground::<2>(shape, 0.5, 1.0, 0.4);
        let state = run(&world, &[-3.0, 0.0, 3.0], 1.0, 50);
        let energy = kinetic(&world, &state.q, &state.v);
        assert!((energy - 6.75).abs() < 1e-12, "{energy:e}");
    }
}

/// Rolling keeps the energy in space too; sliding loses speed at μ g and gains spin at μ g m r / I.
#[test]
fn a_sphere_rolls_and_slides() {
    let round = Ellipsoid::new(Vector3::new(1.0, 1.0, 1.0)).unwrap();
    for shape in [ConvexSet::from(Ball::new(1.0).unwrap()), round.into()] {
        let world = on_the_ground::<3>(shape, 0.4, 1.0, 0.4);
        let state = run(&world, &[-3.0, 0.5, 0.0, -0.5, -3.0, 0.0], 0.4, 50);
        let energy = kinetic(&world, &state.q, &state.v);
        assert!((energy - 0.7 * 9.25).abs() < 1e-12, "{energy:e}");
        let state = run(&world, &[3.0, 0.0, 0.0, 0.0, 0.0, 0.0], 0.4, 20);
        let impulse = 0.4 * 9.81 * 0.2;
        assert!(
            (state.v[0] - (3.0 - impulse)).abs() < 1e-11,
            "{:?}",
            state.v
        );
        assert!((state.v[4] - impulse / 0.4).abs() < 1e-11, "{:?}", state.v);
    }
}

/// `cbat2007-spinning-sphere`: the spin falls with the slope −5 μ e g/2 = −1.962 at e = 0.4 m, μ = 0.2.
#[test]
fn a_spinning_sphere_slows_down_by_torsion() {
    let world = on_the_ground::<3>(Ball::new(1.0).unwrap().into(), 0.4, 1.0, 0.2);
    let state = run(&world, &[0.0, 0.0, 0.0, 0.0, 0.0, 1.962], 0.4, 50);
    assert!((state.v[5] - 0.981).abs() < 1e-11, "{:?}", state.v);
    assert!(
        state.v[..5].iter().all(|x| x.abs() < 1e-12),
        "{:?}",
        state.v
    );
}

/// `cbat2007-ellipsoid`: rolling on the plane, of first order against the printed exact values.
#[test]
fn an_ellipsoid_rolls_to_first_order() {
    let shape = Ellipsoid::new(Vector3::new(1.0, 0.8, 1.2)).unwrap();
    let mut world = on_the_ground::<3>(shape.into(), 1.0, 1.2, 0.8);
    world = with_inertia(&world, [0.416, 0.488, 0.328]);
    let errors = [(0.01, 100), (0.005, 200), (0.0025, 400)].map(|run| {
        let state = run_with_step(&world, &[1.2, 0.0, 0.0, 0.0, 1.0, 0.0], 0.1, run);
        [
            state.q[0] - 1.494_080_860,
            state.q[2] - 1.011_996_624,
            state.v[4] - 1.921_052_497,
        ]
    });
    for i in 0..3 {
        assert!(errors[0][i].abs() < 0.05, "{errors:?}");
        // The ratios go to two as the terms of second order vanish.
        let ratios = [0, 1].map(|k| errors[k][i] / errors[k + 1][i]);
        assert!((ratios[0] - 2.0).abs() < 0.2, "{errors:?}");
        assert!((ratios[1] - 2.0).abs() < 0.1, "{errors:?}");
    }
}

/// `cbat2007-intersection`: a lens that stands on its rim tips onto its cap and rolls on; nobody says which surface
/// touches.
#[test]
fn a_lens_tips_from_its_rim_onto_its_cap() {
    let ball = Part::from(Ball::<3>::new(1.0).unwrap());
    let at = |z| Pose::from_position(Vector3::new(0.0, 0.0, z));
    let lens = Intersection::new([ball.clone().at(at(0.6)), ball.at(at(-0.6))]).unwrap();
    let world = on_the_ground::<3>(lens.into(), 0.3, 2.0, 0.8);
    let mut state = world.initial_state();
    // The caps begin at 53 degrees.
    let (sin, cos) = 30_f64.to_radians().sin_cos();
    state.q[3..].copy_from_slice(&[cos, sin, 0.0, 0.0]);
    let implicit = world.implicit().unwrap();
    let mut pairs = Pairs::default();
    implicit.pairs(&state.q, 3.0, &mut pairs).unwrap();
    let (mut z, mut rows) = (vec![0.0; pairs.layouts[0].nz], PairRows::default());
    implicit.start(&pairs.layouts[0], &state.q, &mut z).unwrap();
    implicit.rows(&pairs.layouts[0], &state.q, &z, &mut rows);
    state.q[2] -= rows.gap;

    let mut energy = world.energy(&state.q, &state.v).total();
    let (mut rim, mut cap) = (0, 0);
    continue_from(&world, state, 0.1, (0.01, 60), &mut |state, z| {
        let now = world.energy(&state.q, &state.v).total();
        assert!(now < energy + 1e-12, "{now} after {energy}");
        energy = now;
        let active = z[6..].iter().filter(|&&l| l > 1e-9).count();
        assert!(rim > 0 || active == 2, "it starts on the rim");
        if active == 2 {
            rim += 1;
            assert_eq!(cap, 0, "it does not come back");
        } else {
            cap += 1;
        }
    });
    assert!(
        rim > 5 && cap > 5,
        "{rim} steps on the rim, {cap} on the cap"
    );
}

/// The same world with principal moments for its second body.
fn with_inertia(world: &World<3>, moments: [f64; 3]) -> World<3> {
    let mut copy = World::with_settings(world.settings().clone()).unwrap();
    for (_, body) in world.bodies() {
        let mut body = body.clone();
        if let signorini_dynamics::Motion::Moving { inertia, .. } = &mut body.motion {
            *inertia = Inertia::Principal(moments);
        }
        copy.add(body).unwrap();
    }
    copy
}
