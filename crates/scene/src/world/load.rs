//! Forces and torques besides gravity.

use nalgebra::SVector;
use signorini_dynamics::{Amplitude, AppliedWrench, World};

use super::check::Checked;
use super::{InDimension, body_named};
use crate::error::{Fault, Place, SceneError};
use crate::format::Scene;

/// Adds the loads of the scene.
pub(super) fn add_loads<const D: usize>(
    scene: &Scene,
    space: &impl InDimension<D>,
    world: &mut World<D>,
) -> Result<(), SceneError> {
    for (index, load) in scene.loads.iter().enumerate() {
        let checked = Checked::new(Place::Load { number: index + 1 });
        let body = body_named(&checked, "body", &load.body, world)?;
        if world.column(body).is_none() {
            let fault = Fault::FixedBody {
                found: load.body.clone(),
            };
            return Err(checked.fault("body", fault));
        }
        let force: SVector<f64, D> = checked.vector_or_zero("force", load.force.as_ref())?;
        let mut wrench = force.as_slice().to_vec();
        wrench.extend(space.spin(&checked, "torque", load.torque.as_ref())?);
        let mut applied = AppliedWrench::constant(body, wrench);
        if let Some(from) = load.from {
            applied.from = checked.finite("from", from)?;
        }
        if let Some(until) = load.until {
            applied.until = checked.finite("until", until)?;
        }
        if applied.until <= applied.from {
            let fault = Fault::Interval {
                from: applied.from,
                until: applied.until,
            };
            return Err(checked.fault("until", fault));
        }
        if let Some(wave) = load.sinusoid {
            applied.amplitude = Amplitude::Sinusoid {
                frequency: checked.not_negative("sinusoid.frequency", wave.frequency)?,
                phase: checked.finite("sinusoid.phase", wave.phase)?,
            };
        }
        world.apply(applied)?;
    }
    Ok(())
}
