//! Finds room for texts.

/// A rectangle in drawing units, y downwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) right: i32,
    pub(crate) bottom: i32,
}

impl Rect {
    pub(crate) fn around(centre: (i32, i32), size: (i32, i32)) -> Self {
        let (left, top) = (centre.0 - size.0 / 2, centre.1 - size.1 / 2);
        Self {
            left,
            top,
            right: left + size.0,
            bottom: top + size.1,
        }
    }

    pub(crate) fn size(self) -> (i32, i32) {
        (self.right - self.left, self.bottom - self.top)
    }

    pub(crate) fn centre(self) -> (i32, i32) {
        (
            i32::midpoint(self.left, self.right),
            i32::midpoint(self.top, self.bottom),
        )
    }

    pub(crate) fn contains(self, p: (i32, i32)) -> bool {
        p.0 >= self.left && p.0 <= self.right && p.1 >= self.top && p.1 <= self.bottom
    }

    fn meets(self, other: Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn moved(self, by: (i32, i32)) -> Self {
        Self {
            left: self.left + by.0,
            top: self.top + by.1,
            right: self.right + by.0,
            bottom: self.bottom + by.1,
        }
    }

    /// Moved as little as possible to lie in `frame`, whose left and top edges win.
    fn pushed_into(self, frame: Self) -> Self {
        let shift = |low: i32, high: i32, from: i32, to: i32| {
            let back = (to - high).min(0);
            (from - low).max(back)
        };
        self.moved((
            shift(self.left, self.right, frame.left, frame.right),
            shift(self.top, self.bottom, frame.top, frame.bottom),
        ))
    }
}

/// Places `wanted` inside `frame`, off the rectangles already `taken`, and takes it.
///
/// Tries steps of its own height up and down, six each way; without room it stays where it is.
pub(crate) fn place(wanted: Rect, frame: Rect, taken: &mut Vec<Rect>) -> Rect {
    let home = wanted.pushed_into(frame);
    let height = home.size().1;
    let free = (0..=12)
        .map(|k| (k + 1) / 2 * if k % 2 == 0 { 1 } else { -1 })
        .map(|k| home.moved((0, k * height)))
        .find(|r| *r == r.pushed_into(frame) && !taken.iter().any(|t| t.meets(*r)));
    let chosen = free.unwrap_or(home);
    taken.push(chosen);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_text_moves_off_the_first() {
        let frame = Rect {
            left: 0,
            top: 0,
            right: 100,
            bottom: 100,
        };
        let wanted = Rect::around((50, 3), (20, 10));
        let mut taken = Vec::new();
        assert_eq!(place(wanted, frame, &mut taken).top, 0);
        // Up would leave the frame.
        assert_eq!(place(wanted, frame, &mut taken).top, 10);
        assert_eq!(place(wanted, frame, &mut taken).top, 20);
    }
}
