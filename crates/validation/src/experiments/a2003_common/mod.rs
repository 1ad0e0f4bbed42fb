//! What the experiments of A2003 share.

use std::error::Error;

use nalgebra::SVector;
use signorini::dynamics::{ContactMaterial, World, WorldSettings};
use signorini::steppers::{ContactForm, HartAnitescu, HartAnitescuSettings, ImpactLaw};

use crate::experiment::Source;

pub(super) type Failure = Box<dyn Error + Send + Sync>;

pub(super) fn source(item: &'static str) -> Source {
    Source {
        paper: "A2003",
        item,
        citation: "M. Anitescu, A fixed time-step approach for multibody dynamics with contact and friction, \
                   IEEE/RSJ International Conference on Intelligent Robots and Systems, 2003",
    }
}

/// The scheme with this law of impact; every approach counts.
pub(super) fn scheme(impact: ImpactLaw, form: ContactForm) -> HartAnitescu {
    HartAnitescu::new(HartAnitescuSettings {
        impact,
        form,
        rest_speed: 0.0,
        ..HartAnitescuSettings::default()
    })
}

/// An empty world with one material.
pub(super) fn world<const D: usize>(
    friction: f64,
    restitution: f64,
    gravity: SVector<f64, D>,
) -> Result<World<D>, Failure> {
    let material = ContactMaterial {
        friction,
        restitution,
        ..ContactMaterial::default()
    };
    let settings = WorldSettings {
        material,
        gravity,
        ..WorldSettings::default()
    };
    Ok(World::with_settings(settings)?)
}

/// Slope of the least-squares line through (log x, log y).
pub(super) fn order(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|p| p.map(f64::ln)).collect();
    let n = logs.len() as f64;
    let mean = |k: usize| logs.iter().map(|p| p[k]).sum::<f64>() / n;
    let (x, y) = (mean(0), mean(1));
    let top: f64 = logs.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    let bottom: f64 = logs.iter().map(|p| (p[0] - x).powi(2)).sum();
    top / bottom
}
