//! A start from a linearised step: where bodies are flush it has an impulse at each corner, and their resultant says where on the
//! face the one impulse of this scheme acts.

use signorini_complementarity::Observer;
use signorini_dynamics::{ContactId, PairRows};

use super::{
    guess::{Guess, sliding},
    problem::{Given, Problem},
};
use crate::{
    hart_anitescu::{ContactForm, HartAnitescu, HartAnitescuSettings},
    report::ContactReport,
    stepper::Stepper,
};

/// What a linearised step with round cones makes of the state.
#[derive(Debug)]
pub(super) struct Linearised {
    v: Vec<f64>,
    contacts: Vec<ContactReport>,
}

impl Linearised {
    /// The step; none if the linearised scheme cannot make it.
    pub(super) fn new(given: &Given<'_>, observer: &mut dyn Observer) -> Option<Self> {
        let mut stepper = HartAnitescu::new(HartAnitescuSettings {
            form: ContactForm::Cone,
            rotation: given.by.rotation,
            ..HartAnitescuSettings::default()
        });
        let mut state = given.state.clone();
        let report = stepper.step(given.system, &mut state, given.by.h, observer);
        Some(Self {
            v: state.v,
            contacts: report.ok()?.contacts,
        })
    }

    /// The resultant of the impulses of a pair, in (D,) world axes; none if it has none.
    fn resultant(&self, id: ContactId, d: usize) -> Option<Resultant> {
        let is_of_pair =
            |c: &&ContactReport| (c.id.a, c.id.b, c.id.pieces) == (id.a, id.b, id.pieces);
        let pressed = |c: &&ContactReport| c.impulse[0] > 0.0;
        let own = || self.contacts.iter().filter(is_of_pair).filter(pressed);
        let normal: f64 = own().map(|c| c.impulse[0]).sum();
        if normal <= 0.0 {
            return None;
        }
        let mut sum = Resultant {
            normal,
            impulse: [0.0; 3],
            moment: 0.0,
            points: [[0.0; 3]; 2],
        };
        for contact in own() {
            let share = contact.impulse[0] / normal;
            for (sum, point) in sum
                .points
                .iter_mut()
                .zip([&contact.point_a, &contact.point])
            {
                sum.iter_mut().zip(point).for_each(|(s, x)| *s += share * x);
            }
            let impulse = impulse(contact, d);
            sum.impulse
                .iter_mut()
                .zip(impulse)
                .for_each(|(s, p)| *s += p);
        }
        for contact in own().filter(|_| d == 3) {
            let p = impulse(contact, d);
            let arm: [f64; 3] = std::array::from_fn(|k| contact.point[k] - sum.points[1][k]);
            let moment = [
                arm[1] * p[2] - arm[2] * p[1],
                arm[2] * p[0] - arm[0] * p[2],
                arm[0] * p[1] - arm[1] * p[0],
            ];
            let about: f64 = moment.iter().zip(&contact.normal).map(|(m, n)| m * n).sum();
            sum.moment += about + contact.torsion;
        }
        Some(sum)
    }
}

/// Impulses of a pair on its second body: together, their moment about the normal, and where they act on both bodies.
struct Resultant {
    normal: f64,
    impulse: [f64; 3],
    moment: f64,
    points: [[f64; 3]; 2],
}

/// The impulse on the second body, world axes.
fn impulse(contact: &ContactReport, d: usize) -> [f64; 3] {
    let mut impulse = [0.0; 3];
    let axes = contact
        .normal
        .chunks_exact(d)
        .chain(contact.tangent.chunks_exact(d));
    for (axis, p) in axes.zip(&contact.impulse) {
        impulse
            .iter_mut()
            .zip(axis)
            .for_each(|(sum, a)| *sum += p * a);
    }
    impulse
}

impl Guess {
    /// Velocities, impulses and points of a linearised step for the bodies of a problem; none where it has nothing to say.
    pub(super) fn linearised(
        &self,
        problem: &Problem<'_>,
        observer: &mut dyn Observer,
    ) -> Option<Self> {
        let given = problem.given;
        let step = given
            .linearised
            .get_or_init(|| Linearised::new(given, observer));
        let step = step.as_ref()?;
        let (d, dofs) = (given.system.dimension(), given.system.dofs());
        let mut guess = self.clone();
        guess.fly(problem, &step.v);
        let mut rows = PairRows::default();
        for (contact, values) in problem.contacts.iter().zip(&mut guess.pairs) {
            let layout = &contact.layout;
            let Some(sum) = step.resultant(layout.id, d) else {
                given.closest(layout, given.q, &mut values.z).ok()?;
                values.normal = contact.least;
                values.ratios.fill(0.0);
                continue;
            };
            let points = [&sum.points[0][..d], &sum.points[1][..d]];
            let patch = given
                .implicit
                .start_on_patch(layout, given.q, Some(points), &mut values.z);
            if !patch.ok()? {
                given.closest(layout, given.q, &mut values.z).ok()?;
            }
            given.implicit.rows(layout, given.q, &values.z, &mut rows);
            values.normal = sum.normal.max(contact.least);
            for (y, &(k, e)) in values.ratios.iter_mut().zip(&contact.friction) {
                let direction = &rows.directions[(2 * k + 1) * dofs..][..d];
                let component = if k < d {
                    direction.iter().zip(&sum.impulse).map(|(a, p)| a * p).sum()
                } else {
                    sum.moment
                };
                *y = component / (layout.friction * e * values.normal);
            }
            let length = values.ratios.iter().map(|y| y * y).sum::<f64>().sqrt();
            values.ratios.iter_mut().for_each(|y| *y /= length.max(1.0));
            values.sigma = sliding(contact, &rows, &step.v);
        }
        Some(guess)
    }
}
