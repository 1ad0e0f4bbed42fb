//! The stepper and the run that a scene asks for.

use signorini_dynamics::{ContactPoint, Gyroscopic, Rotation};
use signorini_steppers::{
    AnitescuPotra, AnitescuPotraSettings, Evaluation as At, Formulation, GapFunction,
    GeometricallyImplicit, GeometricallyImplicitSettings, Run, Stall as OnStall, Stepper,
    StewartTrinkle, StewartTrinkleSettings,
};

use crate::error::{Fault, Place, SceneError};
use crate::format::{
    ContactPointRule, Evaluation, FormulationRule, GapRule, GyroscopicRule, RotationRule,
    RunSettings, Scene, Scheme, Stall,
};

/// Directions of the friction pyramid when the scene does not say.
const DIRECTIONS: usize = 8;

impl Scene {
    /// The stepper that the run settings ask for.
    ///
    /// # Errors
    /// [`SceneError::Value`] if a setting is impossible, means nothing to the scheme, or if a contact has restitution
    /// and the scheme models none.
    ///
    /// # Examples
    /// ```
    /// let scene = signorini_scene::Scene::from_toml("gravity = [0, 0, -9.81]\nbodies = []")?;
    /// assert_eq!(scene.stepper()?.name(), "stewart-trinkle");
    /// # Ok::<(), signorini_scene::SceneError>(())
    /// ```
    pub fn stepper(&self) -> Result<Box<dyn Stepper>, SceneError> {
        if self.run.stepper != Some(Scheme::GeometricallyImplicit) {
            self.refuse_restitution()?;
        }
        self.run.make_stepper()
    }

    /// The linear schemes take every impact as inelastic; a scene that asks for more must not run as if it had not.
    fn refuse_restitution(&self) -> Result<(), SceneError> {
        let rules = std::iter::once((
            Place::ContactDefault,
            Some(self.contact_default.restitution),
        ));
        let pairs = self.contact.iter().enumerate();
        let pairs =
            pairs.map(|(index, pair)| (Place::Pair { number: index + 1 }, pair.restitution));
        for (place, restitution) in rules.chain(pairs) {
            if let Some(found) = restitution.filter(|&found| found > 0.0) {
                let scheme = self.run.stepper.unwrap_or_default().name();
                let fault = Fault::Restitution { found, scheme };
                return Err(SceneError::Value {
                    place,
                    field: "restitution",
                    fault,
                });
            }
        }
        Ok(())
    }
}

impl RunSettings {
    /// Step and end of the run.
    ///
    /// # Errors
    /// [`SceneError::Value`] if one of them is missing, not finite or not greater than 0.
    pub fn step_and_end(&self) -> Result<Run, SceneError> {
        let h = positive("h", self.h, "write `h` under [run], or give --h")?;
        let until = positive(
            "until",
            self.until,
            "write `until` under [run], or give --until",
        )?;
        Ok(Run { h, until })
    }

    fn make_stepper(&self) -> Result<Box<dyn Stepper>, SceneError> {
        let directions = self.directions.unwrap_or(DIRECTIONS);
        if directions < 4 || !directions.is_multiple_of(2) {
            return Err(fault("directions", Fault::Directions { found: directions }));
        }
        let rotation = self.rotation.unwrap_or_default().into();
        let evaluation = self.evaluation.unwrap_or_default();
        if self.stall.is_some() && evaluation != Evaluation::FixedPoint {
            let hint = "only `evaluation = \"fixed-point\"` can stall";
            return Err(fault("stall", Fault::Meaningless { hint }));
        }
        let scheme = self.stepper.unwrap_or_default();
        if scheme != Scheme::GeometricallyImplicit {
            let hint = "only `geometrically-implicit` has it; leave it out";
            if self.formulation.is_some() {
                return Err(fault("formulation", Fault::Meaningless { hint }));
            }
            if self.gap.is_some() {
                return Err(fault("gap", Fault::Meaningless { hint }));
            }
        }
        match scheme {
            Scheme::GeometricallyImplicit => {
                if self.directions.is_some() {
                    let hint = "`geometrically-implicit` has no pyramid; leave it out";
                    return Err(fault("directions", Fault::Meaningless { hint }));
                }
                if self.evaluation.is_some() {
                    let hint =
                        "`geometrically-implicit` evaluates at the end of the step; leave it out";
                    return Err(fault("evaluation", Fault::Meaningless { hint }));
                }
                let settings = GeometricallyImplicitSettings {
                    formulation: self.formulation.unwrap_or_default().into(),
                    gap: self.gap.unwrap_or_default().into(),
                    rotation,
                    ..Default::default()
                };
                Ok(Box::new(GeometricallyImplicit::new(settings)))
            }
            Scheme::StewartTrinkle => {
                let settings = StewartTrinkleSettings {
                    directions,
                    rotation,
                    evaluation: evaluation.into(),
                    stall: self.stall.unwrap_or_default().into(),
                    ..Default::default()
                };
                Ok(Box::new(StewartTrinkle::new(settings)))
            }
            Scheme::AnitescuPotra => {
                if self.evaluation.is_some() {
                    let hint = "`anitescu-potra` evaluates where the step begins; leave it out";
                    return Err(fault("evaluation", Fault::Meaningless { hint }));
                }
                let settings = AnitescuPotraSettings {
                    directions,
                    rotation,
                    ..Default::default()
                };
                Ok(Box::new(AnitescuPotra::new(settings)))
            }
        }
    }
}

fn positive(
    field: &'static str,
    value: Option<f64>,
    hint: &'static str,
) -> Result<f64, SceneError> {
    let found = value.ok_or_else(|| fault(field, Fault::Missing { hint }))?;
    if !found.is_finite() {
        return Err(fault(field, Fault::NotFinite { found }));
    }
    if found <= 0.0 {
        return Err(fault(field, Fault::NotPositive { found }));
    }
    Ok(found)
}

fn fault(field: &'static str, fault: Fault) -> SceneError {
    SceneError::Value {
        place: Place::Run,
        field,
        fault,
    }
}

/// Words of the format and what they mean in the crates below; those need no schema.
macro_rules! means {
    ($($word:ident => $meaning:ident { $($variant:ident),+ })+) => {
        $(impl From<$word> for $meaning {
            fn from(word: $word) -> Self {
                match word { $($word::$variant => Self::$variant),+ }
            }
        })+
    };
}

means! {
    Evaluation => At { Current, Predicted, FixedPoint }
    Stall => OnStall { Refuse, Accept }
    FormulationRule => Formulation { Full, Condensed }
    GapRule => GapFunction { SignedDistance, Surface }
    RotationRule => Rotation { Printed, LieGroup }
    GyroscopicRule => Gyroscopic { Explicit, Midpoint, Momentum }
    ContactPointRule => ContactPoint { Witness, Midpoint }
}
