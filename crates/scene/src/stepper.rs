//! The stepper and the run that a scene asks for.

use std::num::NonZeroUsize;

use signorini_dynamics::{ContactPoint, Gyroscopic, Rotation};
use signorini_steppers::{
    ActiveSet, AnitescuPotra, AnitescuPotraSettings, ContactForm, Evaluation as At, Formulation,
    GapFunction, GeometricallyImplicit, GeometricallyImplicitSettings, HartAnitescu,
    HartAnitescuSettings, ImpactLaw, Projection, Run, Stall as OnStall, Stepper, StewartTrinkle,
    StewartTrinkleSettings, TzitzourisPang,
};

use crate::error::{Fault, Place, SceneError};
use crate::format::{
    ContactFormRule, ContactPointRule, Evaluation, FormulationRule, GapRule, GyroscopicRule,
    ImpactRule, ProjectionRule, RotationRule, RunSettings, Scene, Scheme, Stall,
};

/// Directions of the friction pyramid when the scene does not say.
const DIRECTIONS: usize = 8;

impl Scene {
    /// The stepper that the run settings ask for.
    ///
    /// # Errors
    /// [`SceneError::Value`] if a setting is impossible or means nothing to the scheme.
    ///
    /// # Examples
    /// ```
    /// let scene = signorini_scene::Scene::from_toml("gravity = [0, 0, -9.81]\nbodies = []")?;
    /// assert_eq!(scene.stepper()?.name(), "stewart-trinkle");
    /// # Ok::<(), signorini_scene::SceneError>(())
    /// ```
    pub fn stepper(&self) -> Result<Box<dyn Stepper>, SceneError> {
        self.run.make_stepper()
    }
}

impl RunSettings {
    /// Step and end of the run.
    ///
    /// # Errors
    /// [`SceneError::Value`] if one of them is missing, not finite or not greater than 0, or if the step is lost in the rounding
    /// of the end.
    pub fn step_and_end(&self) -> Result<Run, SceneError> {
        let missing = |field, hint| fault(field, Fault::Missing { hint });
        if self.h.is_none() {
            return Err(missing("h", "write `h` under [run], or give --h"));
        }
        let run = self.planned()?;
        run.ok_or_else(|| missing("until", "write `until` under [run], or give --until"))
    }

    /// Step and end of the run, none if one of them is left out.
    ///
    /// # Errors
    /// As [`RunSettings::step_and_end`], for what is there.
    ///
    /// # Examples
    /// ```
    /// use signorini_scene::RunSettings;
    /// let mut run = RunSettings { h: Some(0.1), ..RunSettings::default() };
    /// assert!(run.planned()?.is_none());
    /// run.until = Some(2.0);
    /// assert_eq!(run.planned()?.map(|run| run.steps_from(0.0)), Some(20));
    /// run.until = Some(-2.0);
    /// assert!(run.planned().is_err());
    /// # Ok::<(), signorini_scene::SceneError>(())
    /// ```
    pub fn planned(&self) -> Result<Option<Run>, SceneError> {
        let h = positive("h", self.h)?;
        let until = positive("until", self.until)?;
        let (Some(h), Some(until)) = (h, until) else {
            return Ok(None);
        };
        if until - h >= until {
            return Err(fault("h", Fault::LostStep { found: h, until }));
        }
        Ok(Some(Run { h, until }))
    }

    fn make_stepper(&self) -> Result<Box<dyn Stepper>, SceneError> {
        self.refuse_foreign()?;
        let directions = self.directions.unwrap_or(DIRECTIONS);
        if directions < 4 || !directions.is_multiple_of(2) {
            return Err(fault("directions", Fault::Directions { found: directions }));
        }
        let rotation = self.rotation.unwrap_or_default().into();
        let impact = self.impact.unwrap_or_default().into();
        let rest_speed = not_negative("rest_speed", self.rest_speed)?;
        Ok(match self.stepper.unwrap_or_default() {
            scheme @ (Scheme::GeometricallyImplicit | Scheme::TzitzourisPang) => {
                let mut settings = GeometricallyImplicitSettings {
                    formulation: self.formulation.unwrap_or_default().into(),
                    gap: self.gap.unwrap_or_default().into(),
                    impact,
                    rotation,
                    ..Default::default()
                };
                settings.rest_speed = rest_speed.unwrap_or(settings.rest_speed);
                settings.max_rounds = self.rounds(settings.max_rounds);
                match scheme {
                    Scheme::TzitzourisPang => Box::new(TzitzourisPang::new(settings)),
                    _ => Box::new(GeometricallyImplicit::new(settings)),
                }
            }
            Scheme::StewartTrinkle => {
                let mut settings = StewartTrinkleSettings {
                    directions,
                    rotation,
                    impact,
                    evaluation: self.evaluation.unwrap_or_default().into(),
                    stall: self.stall.unwrap_or_default().into(),
                    ..Default::default()
                };
                settings.rest_speed = rest_speed.unwrap_or(settings.rest_speed);
                settings.max_rounds = self.rounds(settings.max_rounds);
                Box::new(StewartTrinkle::new(settings))
            }
            Scheme::AnitescuPotra => {
                let mut settings = AnitescuPotraSettings {
                    directions,
                    rotation,
                    ..Default::default()
                };
                settings.rest_speed = rest_speed.unwrap_or(settings.rest_speed);
                Box::new(AnitescuPotra::new(settings))
            }
            Scheme::HartAnitescu => {
                let mut settings = HartAnitescuSettings {
                    directions,
                    rotation,
                    impact,
                    form: self.form.unwrap_or_default().into(),
                    projection: self.projection.unwrap_or_default().into(),
                    ..Default::default()
                };
                settings.rest_speed = rest_speed.unwrap_or(settings.rest_speed);
                if let Some(gamma) = not_negative("gamma", self.gamma)? {
                    if gamma > 1.0 {
                        return Err(fault("gamma", Fault::AboveOne { found: gamma }));
                    }
                    settings.gamma = gamma;
                }
                if let Some(epsilon) = not_negative("epsilon", self.epsilon)? {
                    settings.active = ActiveSet::Within(epsilon);
                }
                settings.max_rounds = self.rounds(settings.max_rounds);
                Box::new(HartAnitescu::new(settings))
            }
        })
    }

    fn rounds(&self, usual: usize) -> usize {
        self.max_rounds.map_or(usual, NonZeroUsize::get)
    }

    /// Refuses what would change nothing.
    fn refuse_foreign(&self) -> Result<(), SceneError> {
        use Scheme::{
            AnitescuPotra as AP, GeometricallyImplicit as GI, HartAnitescu as HA,
            StewartTrinkle as ST, TzitzourisPang as TP,
        };
        let scheme = self.stepper.unwrap_or_default();
        let keys: [(&str, bool, &[Scheme]); 10] = [
            ("formulation", self.formulation.is_some(), &[GI]),
            ("gap", self.gap.is_some(), &[GI, TP]),
            ("directions", self.directions.is_some(), &[AP, HA, ST]),
            ("evaluation", self.evaluation.is_some(), &[ST]),
            ("form", self.form.is_some(), &[HA]),
            ("gamma", self.gamma.is_some(), &[HA]),
            ("projection", self.projection.is_some(), &[HA]),
            ("epsilon", self.epsilon.is_some(), &[HA]),
            ("max_rounds", self.max_rounds.is_some(), &[GI, HA, ST, TP]),
            ("impact", self.impact.is_some(), &[GI, HA, ST, TP]),
        ];
        for (key, is_given, schemes) in keys {
            if is_given && !schemes.contains(&scheme) {
                let schemes = schemes.iter().map(|scheme| scheme.name()).collect();
                let scheme = scheme.name();
                return Err(fault(key, Fault::Foreign { scheme, schemes }));
            }
        }
        let evaluation = self.evaluation.unwrap_or_default();
        if self.stall.is_some() && evaluation != Evaluation::FixedPoint {
            let hint = "only `evaluation = \"fixed-point\"` can stall";
            return Err(fault("stall", Fault::Meaningless { hint }));
        }
        let form = self.form.unwrap_or_default();
        let is_round = matches!(form, ContactFormRule::Cone | ContactFormRule::Relaxed);
        if is_round && self.directions.is_some() {
            let hint = "only the forms with pyramids have directions; leave it out";
            return Err(fault("directions", Fault::Meaningless { hint }));
        }
        if scheme == GI && self.impact == Some(ImpactRule::Moreau) {
            let hint = "`newton` bounces in the step in which a contact closes here";
            return Err(fault("impact", Fault::Meaningless { hint }));
        }
        if form != ContactFormRule::Pyramid && self.impact == Some(ImpactRule::Poisson) {
            return Err(fault("impact", Fault::PoissonForm));
        }
        Ok(())
    }
}

/// A number of at least 0, if it is given.
fn not_negative(field: &'static str, value: Option<f64>) -> Result<Option<f64>, SceneError> {
    match value {
        Some(found) if !found.is_finite() => Err(fault(field, Fault::NotFinite { found })),
        Some(found) if found < 0.0 => Err(fault(field, Fault::Negative { found })),
        other => Ok(other),
    }
}

/// A number greater than 0, if it is given.
fn positive(field: &'static str, value: Option<f64>) -> Result<Option<f64>, SceneError> {
    match value {
        Some(found) if !found.is_finite() => Err(fault(field, Fault::NotFinite { found })),
        Some(found) if found <= 0.0 => Err(fault(field, Fault::NotPositive { found })),
        other => Ok(other),
    }
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
    ContactFormRule => ContactForm { Pyramid, Cone, Relaxed, RelaxedPyramid }
    ImpactRule => ImpactLaw { Newton, Poisson, Moreau }
    FormulationRule => Formulation { Full, Condensed }
    GapRule => GapFunction { SignedDistance, Surface }
    ProjectionRule => Projection { None, Once, Exact }
    RotationRule => Rotation { Printed, LieGroup }
    GyroscopicRule => Gyroscopic { Explicit, Midpoint, Momentum }
    ContactPointRule => ContactPoint { Witness, Midpoint }
}
