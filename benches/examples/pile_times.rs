//! Times of steps of piles and machines under the scheme of Hart and Anitescu.
//!
//! Arguments: names of cases; none for all. `discs21` is the pile of HA2003, `discs66` that of A2003 with restitution, also with
//! TOL = 0, `lemke66` Lemke's method alone on its problems, `nut` the Brazil nut of HA2003, `chain` 100 links on ball joints, `stack` ten boxes under one that is 1000 times heavier,
//! `piles` and `stacks` twenty piles of discs and stacks of boxes side by side, whose islands are solved by all threads that
//! `RAYON_NUM_THREADS` allows.
//!
//! Each line holds case, form, steps, mean, median and largest time of a step in ms, pivots or iterations per step, and the largest
//! residual.

use std::time::Instant;

use signorini::prelude::*;
use signorini::steppers::ActiveSet;
use signorini_benches::{brazil_nut, print_calibration};

mod lemke_cases;
mod pile_cases;
use lemke_cases::lemke_times;
use pile_cases::{Failure, chain, many_piles, many_stacks, pyramid, stack};

fn main() -> Result<(), Failure> {
    print_calibration();
    let given: Vec<String> = std::env::args().skip(1).collect();
    let asked = |name: &str| given.is_empty() || given.iter().any(|g| g == name);
    let all = [
        ContactForm::Pyramid,
        ContactForm::Cone,
        ContactForm::Relaxed,
        ContactForm::RelaxedPyramid,
    ];
    if asked("discs21") {
        let world = pyramid(6, [0.2, 0.0], 75.0)?;
        for form in all {
            time(
                "discs21",
                &world,
                (form, ActiveSet::Within(0.3)),
                (0.05, 400),
            );
        }
    }
    if asked("discs66") {
        let world = pyramid(11, [0.15, 0.4], 65.0)?;
        for form in all {
            time(
                "discs66",
                &world,
                (form, ActiveSet::Speed(1.0)),
                (0.05, 400),
            );
        }
        let settings = HartAnitescuSettings {
            active: ActiveSet::Speed(1.0),
            rest_speed: 0.0,
            ..HartAnitescuSettings::default()
        };
        time_with("discs66, TOL = 0", &world, settings, (0.05, 400));
    }
    if asked("lemke66") {
        let stepper = HartAnitescu::new(HartAnitescuSettings {
            active: ActiveSet::Speed(1.0),
            ..HartAnitescuSettings::default()
        });
        let world = pyramid(11, [0.15, 0.4], 65.0)?;
        lemke_times(&world, stepper, (0.05, 400))?;
    }
    if asked("nut") {
        let relaxed = (ContactForm::Relaxed, ActiveSet::Safe(1.0));
        let world = brazil_nut::world(&brazil_nut::radii(1))?;
        time("nut", &world, relaxed, (0.1, 750));
    }
    if asked("chain") {
        for form in all {
            time(
                "chain",
                &chain(100)?,
                (form, ActiveSet::Automatic),
                (0.01, 100),
            );
        }
    }
    if asked("stack") {
        for form in all {
            time(
                "stack",
                &stack()?,
                (form, ActiveSet::Automatic),
                (0.01, 100),
            );
        }
    }
    if asked("piles") {
        for form in all {
            let step = (form, ActiveSet::Automatic);
            time("piles", &many_piles()?, step, (0.05, 200));
        }
    }
    if asked("stacks") {
        for form in all {
            let step = (form, ActiveSet::Automatic);
            time("stacks", &many_stacks()?, step, (0.01, 100));
        }
    }
    Ok(())
}

fn time<const D: usize>(
    name: &str,
    world: &World<D>,
    (form, active): (ContactForm, ActiveSet),
    run: (f64, usize),
) where
    World<D>: System,
{
    let settings = HartAnitescuSettings {
        form,
        active,
        ..HartAnitescuSettings::default()
    };
    time_with(name, world, settings, run);
}

fn time_with<const D: usize>(
    name: &str,
    world: &World<D>,
    settings: HartAnitescuSettings,
    (h, steps): (f64, usize),
) where
    World<D>: System,
{
    let form = settings.form;
    let mut stepper = HartAnitescu::new(settings);
    let mut state = world.initial_state();
    let (mut times, mut work, mut residual) = (Vec::new(), 0, 0.0_f64);
    for _ in 0..steps {
        let start = Instant::now();
        let result = stepper.step(world, &mut state, h, &mut ());
        times.push(1e3 * start.elapsed().as_secs_f64());
        match result {
            Ok(report) => {
                work += report.pivots;
                residual = residual.max(report.residual);
            }
            Err(error) => {
                println!("{name} {form:?}: t = {}: {error}", state.t);
                break;
            }
        }
    }
    let count = times.len() as f64;
    let mean = times.iter().sum::<f64>() / count;
    times.sort_by(f64::total_cmp);
    println!(
        "{name} {form:?}: {} steps, mean {mean:.3} ms, median {:.3}, largest {:.2}, {:.1} iterations per step, residual {residual:.1e}",
        times.len(),
        times[times.len() / 2],
        times[times.len() - 1],
        work as f64 / count,
    );
}
