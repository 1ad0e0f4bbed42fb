//! Bodies that come down flat under the geometrically implicit scheme: the points at which they are pressed are neither at
//! the ends of the line that touches nor on the far side of the body.

use signorini_steppers::{
    Formulation, GapFunction, GeometricallyImplicit, GeometricallyImplicitSettings, Run, simulate,
};

use crate::worlds::rod;

/// The rod of ST2000, thin of inertia, from ten angles: it turns through the floor's height within a step, tips from end to
/// end, and comes to rest on its side.
#[test]
fn a_rod_tumbles_and_comes_to_rest_on_its_side() {
    let world = rod();
    for (formulation, gap) in [
        (Formulation::Full, GapFunction::SignedDistance),
        (Formulation::Full, GapFunction::Surface),
        (Formulation::Condensed, GapFunction::SignedDistance),
    ] {
        for h in [0.005, 0.0025] {
            for k in 0..10 {
                let mut state = world.initial_state();
                state.q[2] += 0.2 * f64::from(k);
                state.v[0] = 0.1 * f64::from(k % 7) - 0.3;
                let settings = GeometricallyImplicitSettings {
                    formulation,
                    gap,
                    ..GeometricallyImplicitSettings::default()
                };
                let mut stepper = GeometricallyImplicit::new(settings);
                let run = Run { h, until: 1.5 };
                let summary = simulate(&world, &mut stepper, &mut state, run, &mut ());
                let summary = summary.unwrap_or_else(|e| panic!("{formulation:?} {h} {k}: {e}"));
                assert!(summary.worst_residual <= 1e-10);
                assert!(summary.worst_penetration <= 1e-10);
                // Turns of a radian and more within a step close the gap too, with energy that nothing gives.
                let (gain, start) = (summary.largest_energy_gain, summary.energy_start.total());
                assert!(gain <= 1e-3 * start, "{formulation:?} {h} {k}: {gain} J");
                assert!(summary.energy_end.total() <= start);
                assert!((state.q[1] - 0.05).abs() < 1e-9, "{k} {:?}", state.q);
                assert!(state.v.iter().all(|v| v.abs() < 1e-9), "{k} {:?}", state.v);
            }
        }
    }
}
