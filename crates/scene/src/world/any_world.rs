//! A world whose dimension is known only when the scene is read.

use signorini_dynamics::{State, System, World};

/// A world in the plane or in space.
#[derive(Clone, Debug)]
pub enum AnyWorld {
    /// In the plane.
    Planar(World<2>),
    /// In space.
    Spatial(World<3>),
}

impl AnyWorld {
    /// What a stepper sees of it.
    pub fn system(&self) -> &dyn System {
        match self {
            Self::Planar(world) => world,
            Self::Spatial(world) => world,
        }
    }

    /// The state at the start of the scene.
    pub fn initial_state(&self) -> State {
        match self {
            Self::Planar(world) => world.initial_state(),
            Self::Spatial(world) => world.initial_state(),
        }
    }
}
