//! Who may meet whom.

/// Groups of a body as bit masks: 32 groups, bit k for group k.
///
/// Two bodies meet if each is in a group that the other collides with. A body is in group 0 and collides with all, unless
/// told otherwise.
///
/// # Examples
/// ```
/// use signorini_geometry::Groups;
/// // Debris lies on the ground, but ignores other debris.
/// let debris = Groups { member: 1 << 3, collides_with: !(1 << 3) };
/// let ground = Groups::default();
/// assert!(debris.meets(&ground) && !debris.meets(&debris));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Groups {
    /// The groups it is in.
    pub member: u32,
    /// The groups it collides with.
    pub collides_with: u32,
}

impl Default for Groups {
    fn default() -> Self {
        Self {
            member: 1,
            collides_with: u32::MAX,
        }
    }
}

impl Groups {
    /// Whether bodies of the two meet; symmetric.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        (self.member & other.collides_with != 0) && (other.member & self.collides_with != 0)
    }
}

/// What a body, or all bodies below a node together, may meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask {
    pub(super) groups: Groups,
    pub(super) moves: bool,
}

impl Mask {
    pub(super) const NONE: Self = Self {
        groups: Groups {
            member: 0,
            collides_with: 0,
        },
        moves: false,
    };

    /// Whether there may be a pair between the two: one moves, and the groups meet.
    #[inline]
    pub(super) fn meets(&self, other: &Self) -> bool {
        (self.moves | other.moves) & self.groups.meets(&other.groups)
    }

    #[inline]
    pub(super) fn union(&self, other: &Self) -> Self {
        Self {
            groups: Groups {
                member: self.groups.member | other.groups.member,
                collides_with: self.groups.collides_with | other.groups.collides_with,
            },
            moves: self.moves | other.moves,
        }
    }
}
