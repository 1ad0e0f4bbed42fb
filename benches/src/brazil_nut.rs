//! The Brazil nut of Hart and Anitescu 2003: a large disc under 200 small ones in a container that is shaken.
//!
//! The paper gives neither sizes nor container nor shake; chosen are small discs with radii uniform in [0.7, 1] m, one of 4 m at
//! the bottom, friction of 0.5 and a container 28 m wide without a lid, moved by 3 sin(2π (t − 3)/1.5) m from t = 3 s on.

use nalgebra::Vector2;
use signorini_dynamics::{Body, ContactMaterial, Course, Motion, World, WorldSettings};
use signorini_geometry::{Ball, HalfSpace};

/// Number of small discs.
pub const SMALL: usize = 200;

/// Radius of the large disc, m.
pub const LARGE: f64 = 4.0;

/// Width of the container, m.
pub const WIDTH: f64 = 28.0;

/// Radii of the small discs, then that of the large one, m.
pub fn radii(seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut uniform = || {
        // xorshift64*
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut all: Vec<f64> = (0..SMALL).map(|_| 0.7 + 0.3 * uniform()).collect();
    all.push(LARGE);
    all
}

/// The three sides of the container, then the small discs in rows beside and above the large one, then that, which lies in the
/// middle of the floor.
///
/// # Errors
/// If a radius is not positive.
///
/// # Panics
/// If there are not `SMALL` + 1 radii.
pub fn world(radii: &[f64]) -> Result<World<2>, Box<dyn std::error::Error + Send + Sync>> {
    let material = ContactMaterial {
        friction: 0.5,
        ..ContactMaterial::default()
    };
    let settings = WorldSettings {
        material,
        ..WorldSettings::default()
    };
    let mut world = World::with_settings(settings)?;
    let half = 0.5 * WIDTH;
    for (name, normal, offset) in [
        ("floor", Vector2::y(), 0.0),
        ("left wall", Vector2::x(), -half),
        ("right wall", -Vector2::x(), -half),
    ] {
        let course = Course::Oscillation {
            amplitude: 3.0,
            frequency: 1.0 / 1.5,
            phase: 0.0,
            from: 3.0,
            until: f64::INFINITY,
        };
        let direction = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let motion = Motion::Driven { direction, course };
        let shape = Some(HalfSpace::new(normal, offset)?.into());
        let wall = Body {
            shape,
            motion,
            ..Body::anchor(name)
        };
        world.add(wall)?;
    }
    // Rows of small discs beside and above the large one, which lies in the middle of the floor.
    let mut add = |name: String,
                   radius: f64,
                   x: f64,
                   y: f64|
     -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let mut disc = Body::with_density(name, Ball::new(radius)?, 1.0)?;
        disc.position[0] = x;
        disc.position[1] = y;
        world.add(disc)?;
        Ok(())
    };
    let (mut row, mut column) = (0_usize, 0_usize);
    for (k, &radius) in radii[..SMALL].iter().enumerate() {
        let (x, y) = loop {
            let shift = if row % 2 == 0 { 0.0 } else { 1.0 };
            let x = -half + 1.05 + 2.05 * column as f64 + shift;
            let y = 1.05 + 1.8 * row as f64;
            column += 1;
            if x > half - 1.05 {
                (row, column) = (row + 1, 0);
            } else if x.hypot(y - LARGE) >= LARGE + 1.02 {
                break (x, y);
            }
        };
        add(format!("disc {k}"), radius, x, y)?;
    }
    add("nut".to_owned(), radii[SMALL], 0.0, LARGE)?;
    Ok(world)
}
