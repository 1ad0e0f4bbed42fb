//! Rows and laws of the contacts of a step: the normal and the tangents, torsion about the normal, rolling moments.
//!
//! | dimension | without | torsion        | rolling           | both                  |
//! | --------- | ------- | -------------- | ----------------- | --------------------- |
//! | 2         | (n, t)  | –              | (n, t, 0, m, 0)   | –                     |
//! | 3         | (n, t, o) | (n, t, o, r) | (n, t, o, m_t, m_o) | (n, t, o, r, m_t, m_o) |
//!
//! All contacts of a step have the rows that one of them needs; those that a contact does not need are zero. In the plane the
//! second tangent and the second moment are zero rows: cone and pyramid are one there.

use signorini_complementarity::BlockRows;
use signorini_dynamics::{ContactMaterial, ContactMemory, Contacts, System};

use crate::stepper::StepError;

/// Which rows the contacts of a step have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Dimension of the system.
    d: usize,
    torsion: bool,
    rolling: bool,
}

impl Layout {
    /// The rows that these contacts need.
    pub(crate) fn of(contacts: &Contacts) -> Self {
        let d = contacts.rows.rows();
        Self {
            d,
            torsion: d == 3 && (0..contacts.len()).any(|k| twists(contacts, k)),
            rolling: contacts.rolling.iter().any(|mu| *mu > 0.0),
        }
    }

    /// What so many rows per contact are in a system of this dimension.
    pub(crate) fn new(d: usize, rows: usize) -> Self {
        Self {
            d,
            torsion: d == 3 && matches!(rows, 4 | 6),
            rolling: rows >= 5,
        }
    }

    /// Rows per contact.
    pub(crate) fn rows(self) -> usize {
        match self {
            Self {
                d: 2,
                rolling: true,
                ..
            } => 5,
            _ => self.d + usize::from(self.torsion) + 2 * usize::from(self.rolling),
        }
    }

    /// Row of torsion.
    fn torsion(self) -> Option<usize> {
        self.torsion.then_some(self.d)
    }

    /// Rows of rolling moments, as many as there are tangents.
    fn moments(self) -> std::ops::Range<usize> {
        let first = self.rows() - 2 * usize::from(self.rolling);
        first..first + usize::from(self.rolling) * (self.d - 1)
    }

    /// Appends what the impulse of a contact has: normal and tangents, torsion and rolling moments.
    pub(crate) fn split(
        self,
        impulse: &[f64],
        (normal, torsion, rolling): (&mut Vec<f64>, &mut Vec<f64>, &mut Vec<f64>),
    ) {
        normal.extend_from_slice(&impulse[..self.d]);
        torsion.extend(self.torsion().map(|row| impulse[row]));
        rolling.extend_from_slice(&impulse[self.moments()]);
    }

    /// The impulse of a contact from what is remembered of it.
    pub(crate) fn join(self, memory: &ContactMemory, impulse: &mut [f64]) {
        impulse[..self.d].copy_from_slice(&memory.impulse);
        if let Some(row) = self.torsion() {
            impulse[row] = memory.torsion;
        }
        let moments = impulse[self.moments()].iter_mut();
        moments.zip(&memory.rolling).for_each(|(p, m)| *p = *m);
    }

    /// Names of the rows of a contact of this name.
    pub(crate) fn names(self, contact: &str) -> impl Iterator<Item = String> {
        (0..self.rows()).map(move |row| match row {
            0 => format!("normal of {contact}"),
            row if row < self.d => format!("tangent {row} of {contact}"),
            row if self.torsion() == Some(row) => format!("torsion of {contact}"),
            row if self.moments().contains(&row) => {
                let number = row + 1 - self.moments().start;
                format!("rolling moment {number} of {contact}")
            }
            _ => format!("nothing of {contact}"),
        })
    }
}

/// Rows and laws of contacts.
pub(crate) struct ContactRows {
    pub(crate) rows: BlockRows,
    /// Drift of each row.
    pub(crate) drift: Vec<f64>,
    /// Factors of the rows behind the normal; empty for round cones.
    pub(crate) ellipse: Vec<f64>,
    /// Coefficients of rolling friction; empty if no contact has any.
    pub(crate) rolling: Vec<f64>,
}

/// Whether contact k has torsion.
fn twists(contacts: &Contacts, k: usize) -> bool {
    contacts.friction[k] > 0.0 && contacts.ellipsoid[k][2] > 0.0
}

/// Rows, drifts and laws of the contacts.
pub(crate) fn contact_rows(contacts: &Contacts) -> ContactRows {
    let (layout, d, dofs) = (
        Layout::of(contacts),
        contacts.rows.rows(),
        contacts.rows.dofs(),
    );
    let axes = contacts.ellipsoid.iter().zip(&contacts.friction);
    let coulomb = &ContactMaterial::COULOMB[..d - 1];
    let mut axes = axes.map(|(axes, mu)| *mu == 0.0 || axes[..d - 1] == *coulomb);
    let is_round = axes.all(|is_round| is_round) && !layout.torsion;
    let count = layout.rows();
    let mut out = ContactRows {
        rows: BlockRows::new(count, dofs),
        drift: Vec::new(),
        ellipse: Vec::new(),
        rolling: Vec::new(),
    };
    if layout.rolling {
        out.rolling.clone_from(&contacts.rolling);
    }
    if count == d {
        out.rows.clone_from(&contacts.rows);
        out.drift.clone_from(&contacts.drift);
    } else {
        for k in 0..contacts.len() {
            push_row(contacts, (k, layout), &mut out);
        }
    }
    if !is_round {
        for (k, axes) in contacts.ellipsoid.iter().enumerate() {
            let start = out.ellipse.len();
            out.ellipse.resize(start + count - 1, 1.0);
            let own = &mut out.ellipse[start..];
            if contacts.friction[k] > 0.0 {
                own[..d - 1].copy_from_slice(&axes[..d - 1]);
            }
            if let Some(row) = layout.torsion()
                && twists(contacts, k)
            {
                own[row - 1] = axes[2];
            }
        }
    }
    out
}

/// Appends the rows of contact k.
fn push_row(contacts: &Contacts, (k, layout): (usize, Layout), out: &mut ContactRows) {
    let (d, dofs, count) = (contacts.rows.rows(), contacts.rows.dofs(), layout.rows());
    let mut blocks = [0, 1].map(|side| contacts.rows.block(k, side).to_vec());
    for (block, sign) in blocks.iter_mut().zip([-1.0, 1.0]) {
        block.resize(count * dofs, 0.0);
        let mut turn = |row: usize, axis: &[f64]| {
            let turn = &mut block[row * dofs + d..][..axis.len()];
            turn.iter_mut().zip(axis).for_each(|(x, a)| *x = sign * a);
        };
        if let Some(row) = layout.torsion()
            && twists(contacts, k)
        {
            turn(row, &contacts.normal[k * d..(k + 1) * d]);
        }
        if contacts.rolling[k] > 0.0 {
            let tangents = contacts.tangent[k * d * (d - 1)..].chunks_exact(d);
            for (row, tangent) in layout.moments().zip(tangents) {
                // Positive about the normal of the plane in the plane.
                turn(row, if d == 2 { &[1.0] } else { tangent });
            }
        }
    }
    out.rows
        .push(contacts.rows.cols()[k], &blocks[0], &blocks[1]);
    out.drift
        .extend_from_slice(&contacts.drift[k * d..(k + 1) * d]);
    out.drift.resize(out.rows.len() * count, 0.0);
}

/// Refuses half axes of 0 along a tangent, which cones and pyramids do not have.
pub(crate) fn refuse_flat(
    scheme: &'static str,
    system: &dyn System,
    contacts: &Contacts,
) -> Result<(), StepError> {
    let axes = contacts.ellipsoid.iter().zip(&contacts.friction);
    let counted = system.dimension() - 1;
    let mut flat = axes.map(|(axes, &mu)| mu > 0.0 && axes[..counted].contains(&0.0));
    match flat.position(|is_flat| is_flat) {
        None => Ok(()),
        Some(k) => Err(StepError::Ellipsoid {
            scheme,
            contact: system.contact_name(contacts.id[k]),
            ellipsoid: contacts.ellipsoid[k],
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_what_their_rows_say() {
        for (d, rows) in [(2, 2), (2, 5), (3, 3), (3, 4), (3, 5), (3, 6)] {
            let layout = Layout::new(d, rows);
            assert_eq!(layout.rows(), rows);
            let impulse: Vec<f64> = (0..rows).map(|k| k as f64).collect();
            let mut memory = ContactMemory::new(
                signorini_dynamics::ContactId {
                    a: 0,
                    b: 1,
                    pieces: [0; 2],
                    feature: 0,
                },
                d,
            );
            let mut torsions = Vec::new();
            memory.impulse.clear();
            layout.split(
                &impulse,
                (&mut memory.impulse, &mut torsions, &mut memory.rolling),
            );
            memory.torsion = torsions.first().copied().unwrap_or(0.0);
            let mut again = vec![0.0; rows];
            layout.join(&memory, &mut again);
            let expected = if d == 2 && rows == 5 {
                // The rows that the plane does not have stay zero.
                vec![0.0, 1.0, 0.0, 3.0, 0.0]
            } else {
                impulse
            };
            assert_eq!(again, expected);
        }
        let names: Vec<_> = Layout::new(2, 5).names("a/b").collect();
        assert_eq!(
            names,
            [
                "normal of a/b",
                "tangent 1 of a/b",
                "nothing of a/b",
                "rolling moment 1 of a/b",
                "nothing of a/b"
            ]
        );
    }
}
