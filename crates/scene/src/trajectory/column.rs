//! What a column holds.

use std::fmt;

use signorini_dynamics::{State, System};

/// A column of a trajectory: quantity, body and unit.
///
/// # Examples
/// ```
/// use signorini_scene::Column;
/// let column = Column::parse("ball.v_x [m/s]").expect("a column has a name and a unit");
/// assert_eq!((column.body.as_str(), column.quantity.as_str()), ("ball", "v_x"));
/// assert_eq!(column.to_string(), "ball.v_x [m/s]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The body; empty for the time.
    pub body: String,
    /// The quantity: `time`, `x`, `v_x`, `omega_y`, ...
    pub quantity: String,
    /// The unit.
    pub unit: String,
}

const PLANE_POSITION: &[(&str, &str)] = &[("x", "m"), ("y", "m"), ("angle", "rad")];
const PLANE_VELOCITY: &[(&str, &str)] = &[("v_x", "m/s"), ("v_y", "m/s"), ("omega", "rad/s")];
const SPACE_POSITION: &[(&str, &str)] = &[
    ("x", "m"),
    ("y", "m"),
    ("z", "m"),
    ("q_w", "1"),
    ("q_x", "1"),
    ("q_y", "1"),
    ("q_z", "1"),
];
const SPACE_VELOCITY: &[(&str, &str)] = &[
    ("v_x", "m/s"),
    ("v_y", "m/s"),
    ("v_z", "m/s"),
    ("omega_x", "rad/s"),
    ("omega_y", "rad/s"),
    ("omega_z", "rad/s"),
];

impl Column {
    /// The columns of a system: time, then position and velocity of each moving body.
    pub fn of(system: &dyn System) -> Vec<Self> {
        let (position, velocity) = match system.dimension() {
            2 => (PLANE_POSITION, PLANE_VELOCITY),
            _ => (SPACE_POSITION, SPACE_VELOCITY),
        };
        let mut columns = vec![Self::new("", "time", "s")];
        for body in 0..system.nv() / system.dofs() {
            let name = system.body_name(body);
            let quantities = position.iter().chain(velocity);
            columns.extend(quantities.map(|(quantity, unit)| Self::new(name, quantity, unit)));
        }
        columns
    }

    /// The values of a state in the order of [`Column::of`].
    pub fn values<'a>(system: &dyn System, state: &'a State) -> impl Iterator<Item = f64> + 'a {
        let dofs = system.dofs();
        let coordinates = (system.nq() * dofs).checked_div(system.nv()).unwrap_or(1);
        let bodies = state.q.chunks(coordinates).zip(state.v.chunks(dofs));
        std::iter::once(state.t).chain(bodies.flat_map(|(q, v)| q.iter().chain(v).copied()))
    }

    /// The column with this head, none if it is not of the form `body.quantity [unit]` or `quantity [unit]`.
    pub fn parse(head: &str) -> Option<Self> {
        let (name, unit) = head.strip_suffix(']')?.rsplit_once(" [")?;
        let (body, quantity) = name.rsplit_once('.').unwrap_or(("", name));
        (!quantity.is_empty()).then(|| Self::new(body, quantity, unit))
    }

    /// Body and quantity without the unit: `ball.v_x`, or `time`.
    pub fn name(&self) -> String {
        if self.body.is_empty() {
            self.quantity.clone()
        } else {
            format!("{}.{}", self.body, self.quantity)
        }
    }

    fn new(body: &str, quantity: &str, unit: &str) -> Self {
        Self {
            body: body.to_owned(),
            quantity: quantity.to_owned(),
            unit: unit.to_owned(),
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.name(), self.unit)
    }
}
