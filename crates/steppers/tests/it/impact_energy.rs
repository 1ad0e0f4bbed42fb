//! Impacts in crowds: what compressions take, rebounds give back, and no more under the laws that may not gain energy.

use nalgebra::{SVector, Vector2, Vector3};
use signorini_dynamics::{
    Body, ContactMaterial, Joint, JointKind, State, System, World, WorldSettings,
};
use signorini_geometry::{Ball, Capsule, HalfSpace, Pose};
use signorini_steppers::{
    AnitescuPotra, ContactForm, HartAnitescu, HartAnitescuSettings, ImpactLaw, Stepper,
    StewartTrinkle, StewartTrinkleSettings,
};

/// Numbers that are spread evenly between bounds.
struct Spread(f64);

impl Spread {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = (self.0 + 0.5 * (5.0_f64.sqrt() - 1.0) + 1e-2 * self.0.sin().abs()).fract();
        low + (high - low) * self.0
    }
}

/// Discs that fly about between four walls, without gravity.
fn crowd(seed: u32, count: usize, g: f64) -> World<2> {
    let mut rng = Spread(0.05 * f64::from(seed));
    let settings = WorldSettings {
        material: ContactMaterial {
            friction: rng.between(0.0, 0.6),
            restitution: rng.between(0.4, 1.0),
            ..ContactMaterial::default()
        },
        gravity: Vector2::new(0.0, -g),
        ..WorldSettings::default()
    };
    let mut world = World::with_settings(settings).unwrap();
    let side = 1.3 * (count as f64).sqrt();
    for (name, x, y, offset) in [
        ("floor", 0.0, 1.0, 0.0),
        ("left", 1.0, 0.0, 0.0),
        ("right", -1.0, 0.0, -side),
        ("lid", 0.0, -1.0, -side),
    ] {
        let wall = HalfSpace::new(Vector2::new(x, y), offset).unwrap();
        world.add(Body::fixed(name, wall)).unwrap();
    }
    let columns = (count as f64).sqrt().ceil();
    for k in 0..count {
        let radius = rng.between(0.3, 0.5);
        let mut disc = Body::solid(format!("disc {k}"), Ball::new(radius).unwrap(), 1.0).unwrap();
        let place = [k as f64 % columns, (k as f64 / columns).floor()];
        for (x, cell) in disc.position.iter_mut().zip(place) {
            *x = (cell + 0.5) * side / columns;
        }
        disc.velocity = (0..3).map(|_| rng.between(-3.0, 3.0)).collect();
        world.add(disc).unwrap();
    }
    world
}

fn schemes(law: ImpactLaw) -> Vec<Box<dyn Stepper>> {
    let hart = |form| {
        Box::new(HartAnitescu::new(HartAnitescuSettings {
            impact: law,
            form,
            ..HartAnitescuSettings::default()
        }))
    };
    let mut all: Vec<Box<dyn Stepper>> = vec![
        hart(ContactForm::Pyramid),
        Box::new(StewartTrinkle::new(StewartTrinkleSettings {
            impact: law,
            ..StewartTrinkleSettings::default()
        })),
    ];
    if law == ImpactLaw::Moreau {
        all.push(hart(ContactForm::Cone));
        all.push(hart(ContactForm::Relaxed));
        all.push(Box::new(AnitescuPotra::default()));
    }
    all
}

fn stored(state: &State) -> f64 {
    state.memory.iter().map(|m| m.stored).sum()
}

/// What came out of a run of a crowd.
#[derive(Default)]
struct Outcome {
    /// Largest rise of the energy with what is stored, in a step and over the start, relative to that at the start.
    rise: f64,
    above_start: f64,
    /// Steps in which e was lowered.
    cuts: usize,
}

fn outcome(law: ImpactLaw, g: f64) -> Outcome {
    let mut all = Outcome::default();
    for seed in 0..12 {
        for mut stepper in schemes(law) {
            let world = crowd(seed, 16, g);
            let mut state = world.initial_state();
            let start = world.energy(&state.q, &state.v).total();
            for _ in 0..300 {
                let before = stored(&state);
                let report = stepper.step(&world, &mut state, 0.02, &mut ()).unwrap();
                let [old, new] = [report.energy_before, report.energy_after].map(|e| e.total());
                let rise = new + stored(&state) - old - before;
                all.rise = all.rise.max(rise / start);
                all.above_start = all.above_start.max(new / start - 1.0);
                all.cuts += usize::from(report.restitution_cut > 0.0);
            }
        }
    }
    all
}

#[test]
fn crowds_gain_no_energy_under_poissons_and_moreaus_law() {
    for law in [ImpactLaw::Poisson, ImpactLaw::Moreau] {
        let free = outcome(law, 0.0);
        assert!(free.rise <= 1e-13, "{law:?}: {:e}", free.rise);
        assert!(free.cuts > 0, "{law:?}");
        // Weights have the error of the step: what rebounds with v is lifted by h v against them.
        let heavy = outcome(law, 9.81);
        assert!(heavy.above_start <= 0.0, "{law:?}: {:e}", heavy.above_start);
    }
    // Newton's may, and the same measure says so.
    let newton = outcome(ImpactLaw::Newton, 0.0);
    assert!(newton.rise > 1e-3, "{:e}", newton.rise);
    assert_eq!(newton.cuts, 0);
}

/// A world of elastic contacts without friction and gravity.
fn bouncing<const D: usize>() -> World<D> {
    let material = ContactMaterial {
        friction: 0.0,
        restitution: 1.0,
        ..ContactMaterial::default()
    };
    World::with_settings(WorldSettings {
        material,
        gravity: SVector::zeros(),
        ..WorldSettings::default()
    })
    .unwrap()
}

/// What joints and gyroscopic forces make of a jump of the velocities in a step is no energy to be gained either.
#[test]
fn joints_and_spins_gain_no_energy_in_impacts() {
    let mut worlds: Vec<(Box<dyn System>, State)> = Vec::new();
    // A pendulum between walls.
    let mut world = bouncing::<2>();
    for (name, side) in [("left", 1.0), ("right", -1.0)] {
        let wall = HalfSpace::new(Vector2::new(side, 0.0), -0.5).unwrap();
        world.add(Body::fixed(name, wall)).unwrap();
    }
    let mut bob = Body::solid("bob", Ball::new(0.1).unwrap(), 30.0).unwrap();
    bob.position[1] = -1.0;
    bob.velocity = vec![1.0, 0.0, 1.0];
    let room = world.add(Body::anchor("room")).unwrap();
    let bob = world.add(bob).unwrap();
    let pin = Joint {
        frame_b: Pose::from_position(Vector2::new(0.0, 1.0)),
        ..Joint::new("pin", JointKind::Revolute, room, bob)
    };
    world.join(pin).unwrap();
    let state = world.initial_state();
    worlds.push((Box::new(world), state));
    // A capsule that turns about all axes between floor and lid.
    let mut world = bouncing::<3>();
    for (name, side) in [("floor", 1.0), ("lid", -1.0)] {
        let wall = HalfSpace::new(Vector3::new(0.0, 0.0, side), -0.6).unwrap();
        world.add(Body::fixed(name, wall)).unwrap();
    }
    let mut rod = Body::solid("rod", Capsule::new(0.3, 0.1).unwrap(), 100.0).unwrap();
    rod.velocity = vec![0.1, 0.0, -1.0, 3.0, 4.0, 5.0];
    world.add(rod).unwrap();
    let state = world.initial_state();
    worlds.push((Box::new(world), state));
    // The pendulum swings with the error of its joint; the capsule is exact.
    for ((world, start), bound) in worlds.iter().zip([1e-4, 1e-13]) {
        for law in [ImpactLaw::Poisson, ImpactLaw::Moreau] {
            let mut cuts = 0;
            for mut stepper in schemes(law) {
                let mut state = start.clone();
                let first = world.energy(&state.q, &state.v).total();
                for _ in 0..300 {
                    let before = stored(&state);
                    let report = stepper.step(&**world, &mut state, 0.01, &mut ()).unwrap();
                    let [old, new] = [report.energy_before, report.energy_after].map(|e| e.total());
                    let rise = (new + stored(&state) - old - before) / first;
                    let name = stepper.name();
                    assert!(rise <= bound, "{name} {law:?}: {rise:e} at {} s", report.t);
                    cuts += usize::from(report.restitution_cut > 0.0);
                }
            }
            assert!(cuts > 0, "{law:?}");
        }
    }
}
