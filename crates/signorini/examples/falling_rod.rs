//! The falling rod of Stewart and Trinkle 2000, on the facade.

#![expect(clippy::print_stdout, reason = "an example shows its results")]

use signorini::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::<2>::with_settings(WorldSettings {
        material: ContactMaterial { friction: 0.6, ..ContactMaterial::default() },
        ..WorldSettings::default()
    })?;
    world.add(Body::fixed("table", HalfSpace::up()))?;
    world.add(Body {
        shape: Some(Capsule::new(0.25, 0.05)?.into()),
        position: vec![0.0, 1.0, 30.0_f64.to_radians()],
        velocity: vec![0.0, 0.0, 4.0],
        ..Body::moving("rod", 1.0, Inertia::Scalar(0.002))
    })?;

    let (mut state, mut trajectory) = (world.initial_state(), Trajectory::default());
    let run = Run { h: 0.0025, until: 0.6 };
    let summary = simulate(&world, &mut StewartTrinkle::default(), &mut state, run, &mut trajectory)?;

    println!("rests at x = {:.4} m after {} steps", state.q[0], summary.steps);
    println!("worst residual {:.0e}, penetration {:.0e} m", summary.worst_residual, summary.worst_penetration);
    Ok(())
}
