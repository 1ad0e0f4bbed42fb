//! Checks of single values, each of which knows the part of the scene it speaks of.

use nalgebra::SVector;

use crate::error::{Fault, Place, SceneError};
use crate::format::Dimension;

/// A part of a scene whose values are being checked.
#[derive(Clone, Debug)]
pub(super) struct Checked {
    place: Place,
}

impl Checked {
    pub(super) fn new(place: Place) -> Self {
        Self { place }
    }

    /// The error that this part's `field` has this fault.
    pub(super) fn fault(&self, field: &'static str, fault: impl Into<Fault>) -> SceneError {
        SceneError::Value {
            place: self.place.clone(),
            field,
            fault: fault.into(),
        }
    }

    pub(super) fn finite(&self, field: &'static str, found: f64) -> Result<f64, SceneError> {
        if found.is_finite() {
            Ok(found)
        } else {
            Err(self.fault(field, Fault::NotFinite { found }))
        }
    }

    pub(super) fn positive(&self, field: &'static str, found: f64) -> Result<f64, SceneError> {
        if self.finite(field, found)? > 0.0 {
            Ok(found)
        } else {
            Err(self.fault(field, Fault::NotPositive { found }))
        }
    }

    pub(super) fn not_negative(&self, field: &'static str, found: f64) -> Result<f64, SceneError> {
        if self.finite(field, found)? >= 0.0 {
            Ok(found)
        } else {
            Err(self.fault(field, Fault::Negative { found }))
        }
    }

    /// A restitution coefficient.
    pub(super) fn fraction(&self, field: &'static str, found: f64) -> Result<f64, SceneError> {
        if (0.0..=1.0).contains(&self.finite(field, found)?) {
            Ok(found)
        } else {
            Err(self.fault(field, Fault::AboveOne { found }))
        }
    }

    pub(super) fn all_finite(&self, field: &'static str, values: &[f64]) -> Result<(), SceneError> {
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(index) => {
                let fault = Fault::ComponentNotFinite {
                    found: values[index],
                    number: index + 1,
                };
                Err(self.fault(field, fault))
            }
        }
    }

    /// D finite numbers.
    pub(super) fn vector<const D: usize>(
        &self,
        field: &'static str,
        values: &[f64],
    ) -> Result<SVector<f64, D>, SceneError> {
        if values.len() != D {
            let fault = Fault::Length {
                found: values.len(),
                dimension: dimension::<D>(),
            };
            return Err(self.fault(field, fault));
        }
        self.all_finite(field, values)?;
        Ok(SVector::from_column_slice(values))
    }

    /// D finite numbers, zeros if they are left out.
    pub(super) fn vector_or_zero<const D: usize>(
        &self,
        field: &'static str,
        values: Option<&Vec<f64>>,
    ) -> Result<SVector<f64, D>, SceneError> {
        values.map_or_else(|| Ok(SVector::zeros()), |values| self.vector(field, values))
    }

    /// D finite numbers, not all of them 0.
    pub(super) fn direction<const D: usize>(
        &self,
        field: &'static str,
        values: &[f64],
    ) -> Result<SVector<f64, D>, SceneError> {
        let direction: SVector<f64, D> = self.vector(field, values)?;
        if direction.iter().all(|&component| component == 0.0) {
            return Err(self.fault(field, Fault::NoDirection));
        }
        Ok(direction)
    }
}

/// The dimension that the number D stands for.
pub(super) fn dimension<const D: usize>() -> Dimension {
    if D == 2 {
        Dimension::Plane
    } else {
        Dimension::Space
    }
}
