//! The falling rod of Stewart and Trinkle 2000, on the facade.

#![expect(clippy::print_stdout, reason = "an example shows its results")]

use signorini::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut settings = WorldSettings::default();
    settings.material.friction = 0.6;
    let mut world = World::<2>::with_settings(settings)?;
    world.add(Body::fixed("table", HalfSpace::up()))?;
    let mut rod = Body::moving("rod", 1.0, Inertia::Scalar(0.002));
    rod.shape = Some(Capsule::new(0.25, 0.05)?.into());
    rod.position = vec![0.0, 1.0, 30.0_f64.to_radians()];
    rod.velocity = vec![0.0, 0.0, 4.0];
    world.add(rod)?;

    let (h, until) = (0.0025, 0.6);
    let mut stepper = StewartTrinkle::default();
    let (mut state, mut trajectory) = (world.initial_state(), Trajectory::default());
    let run = Run { h, until };
    let summary = simulate(&world, &mut stepper, &mut state, run, &mut trajectory)?;

    println!("rests at x = {:.4} m", state.q[0]);
    println!("after {} steps", summary.steps);
    println!("worst residual {:.0e}", summary.worst_residual);
    println!("penetration {:.0e} m", summary.worst_penetration);
    Ok(())
}
