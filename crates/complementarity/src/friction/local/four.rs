//! Four sliding contacts at once: [`Diagonal`] with an entry for each of them.
//!
//! Every branch that one of them takes is computed for all, and each keeps its own. Roots are those of
//! [`secular`](super::secular) from the last one; the few that need a bracket are found one by one.

#![expect(
    clippy::needless_range_loop,
    reason = "entries of small blocks by number, as the formulas have them"
)]
#![expect(
    clippy::inline_always,
    reason = "what a kernel calls is compiled for wide vectors only if it is inlined"
)]

use super::diagonal::Diagonal;
use super::secular::{Glide, QUICK_FIRST, QUICK_LAST, QUICK_STEPS, Slide};
use crate::friction::four::{Four, Fours, LANES, Mask, Quad};

/// Data of four contacts with one disc.
#[derive(Clone, Debug)]
pub(crate) struct Diagonals<const D: usize> {
    mu: Quad,
    /// 1 where the sliding contact is solved without a root, else 0.
    round: Quad,
    inverse: [Quad; D],
    stiffness: [Quad; D],
    shear: [Quad; D],
}

/// The local solutions of four contacts.
pub(crate) struct Answers<S: Fours, const D: usize> {
    pub(crate) r: [Four<S>; D],
    pub(crate) open: Mask<S>,
    /// Inside of the cone.
    pub(crate) closed: Mask<S>,
}

/// The numbers of one contact.
fn lane<const D: usize>(x: &[Quad; D], l: usize) -> [f64; D] {
    x.map(|x| x.0[l])
}

impl<const D: usize> Diagonals<D> {
    pub(crate) fn new(of: [&Diagonal<D>; LANES]) -> Self {
        let entries = |f: fn(&Diagonal<D>) -> &[f64; D]| {
            std::array::from_fn(|i| Quad::from_fn(|l| f(of[l])[i]))
        };
        Self {
            mu: Quad::from_fn(|l| of[l].mu),
            round: Quad::from_fn(|l| f64::from(u8::from(of[l].round))),
            inverse: entries(|d| &d.inverse),
            stiffness: entries(|d| &d.stiffness),
            shear: entries(|d| &d.shear),
        }
    }

    /// r̂ from r.
    #[inline(always)]
    pub(crate) fn impulse<S: Fours>(&self, simd: S, r: &[Four<S>; D]) -> [Four<S>; D] {
        let mut out = *r;
        for i in 1..D {
            out[0] += simd.load(&self.shear[i]) * r[i];
        }
        out
    }

    /// r from r̂.
    #[inline(always)]
    pub(crate) fn impulse_back<S: Fours>(&self, simd: S, r: &[Four<S>; D]) -> [Four<S>; D] {
        let mut out = *r;
        for i in 1..D {
            out[0] -= simd.load(&self.shear[i]) * r[i];
        }
        out
    }

    /// See [`Diagonal::delay`].
    #[inline(always)]
    pub(crate) fn delay<S: Fours>(
        &self,
        simd: S,
        share: f64,
        shift: Four<S>,
        u: &mut [Four<S>; D],
    ) {
        let mut square = simd.splat(0.0);
        for i in 1..D {
            let slip = u[i] + simd.load(&self.shear[i]) * u[0];
            square += slip * slip;
        }
        let more = simd.splat(share) * (shift - simd.load(&self.mu) * square.sqrt());
        u[0] += more;
        for i in 1..D {
            u[i] -= simd.load(&self.shear[i]) * more;
        }
    }

    /// The exact law.
    #[inline(always)]
    pub(crate) fn slide<S: Fours>(
        &self,
        simd: S,
        r: &[Four<S>; D],
        u: &[Four<S>; D],
        guess: &mut Four<S>,
    ) -> Answers<S, D> {
        let zero = simd.splat(0.0);
        let mu = simd.load(&self.mu);
        let mut x = [zero; D];
        let (mut sheared, mut square) = (zero, zero);
        x[0] = r[0] - u[0] * simd.load(&self.inverse[0]);
        for i in 1..D {
            x[i] = r[i] - u[i] * simd.load(&self.inverse[i]);
            sheared += simd.load(&self.shear[i]) * x[i];
            square += x[i] * x[i];
        }
        let open = x[0].le(zero);
        let bound = mu * (x[0] - sheared);
        let closed = !open & bound.ge(zero) & square.le(bound * bound);
        let border = !(open | closed);
        let mut out = x;
        if border.any() {
            let rooted = border & simd.load(&self.round).le(zero);
            let round = border & !rooted;
            if round.any() {
                let factor = mu * x[0] / (square.sqrt() + mu * sheared);
                for i in 1..D {
                    out[i] = round.select(x[i] * factor, x[i]);
                }
            }
            if rooted.any() {
                let mut p = x;
                for i in 1..D {
                    p[i] = r[i] * simd.load(&self.stiffness[i]) - u[i];
                }
                self.slide_root(simd, rooted, &p, (&mut out, guess));
            }
        }
        for out in &mut out {
            *out = open.select(zero, *out);
        }
        Answers {
            r: out,
            open,
            closed,
        }
    }

    #[inline(always)]
    fn slide_root<S: Fours>(
        &self,
        simd: S,
        rooted: Mask<S>,
        p: &[Four<S>; D],
        (out, guess): (&mut [Four<S>; D], &mut Four<S>),
    ) {
        let (zero, one) = (simd.splat(0.0), simd.splat(1.0));
        let (mut s, mu) = (*guess, simd.load(&self.mu));
        let square = mu * mu;
        let (mut going, mut done) = (rooted, !(rooted | !rooted));
        for _ in 0..QUICK_STEPS {
            let (mut normal, mut sums) = (p[0], [zero; 3]);
            for i in 1..D {
                let d = one / (simd.load(&self.stiffness[i]) + s);
                let shear = simd.load(&self.shear[i]);
                let r = p[i] * d;
                normal -= shear * r;
                sums[0] += r * r;
                sums[1] += shear * r * d;
                sums[2] += r * r * d;
            }
            let slope = simd.splat(2.0) * (square * normal * sums[1] + sums[2]);
            let step = (sums[0] - square * normal * normal) / slope;
            let fits = s.gt(zero)
                & slope.gt(zero)
                & normal.gt(zero)
                & step.abs().le(simd.splat(QUICK_FIRST) * s);
            going = going & fits;
            s = going.select(s + step, s);
            let last = going & step.abs().le(simd.splat(QUICK_LAST) * s);
            done = done | last;
            going = going & !last;
            if !going.any() {
                break;
            }
        }
        for i in 1..D {
            let d = one / (simd.load(&self.stiffness[i]) + s);
            out[i] = done.select(p[i] * d, out[i]);
        }
        one_by_one(simd, rooted & !done, (out, guess), |found| {
            self.slide_brackets(&p.map(Four::store), found);
        });
        *guess = done.select(s, *guess);
    }

    #[cold]
    #[inline(never)]
    fn slide_brackets(&self, p: &[Quad; D], found: &mut Found<D>) {
        found.each(|l, guess| {
            let slide = Slide {
                mu: self.mu.0[l],
                stiffness: &lane(&self.stiffness, l),
                shear: &lane(&self.shear, l),
                p: lane(p, l),
            };
            slide.bracketed(guess)
        });
    }

    /// The convex law, in Lorentz coordinates.
    #[inline(always)]
    pub(crate) fn glide<S: Fours>(
        &self,
        simd: S,
        r: &[Four<S>; D],
        u: &[Four<S>; D],
        guess: &mut Four<S>,
    ) -> Answers<S, D> {
        let zero = simd.splat(0.0);
        let (mut x, mut b) = ([zero; D], [zero; D]);
        let (mut square, mut velocity) = (zero, zero);
        for i in 0..D {
            x[i] = r[i] - u[i] * simd.load(&self.inverse[i]);
            b[i] = u[i] - r[i] * simd.load(&self.stiffness[i]);
        }
        for i in 1..D {
            square += x[i] * x[i];
            velocity += b[i] * b[i];
        }
        let open = b[0].ge(zero) & velocity.le(b[0] * b[0]);
        let closed = !open & x[0].ge(zero) & square.le(x[0] * x[0]);
        let border = !(open | closed);
        let mut out = x;
        if border.any() {
            let rooted = border & simd.load(&self.round).le(zero);
            let round = border & !rooted;
            if round.any() {
                let length = velocity.sqrt();
                let m = simd.load(&self.stiffness[0]) + simd.load(&self.stiffness[1]);
                let t = (length - b[0]) / m;
                let factor = t / length;
                out[0] = round.select(t, x[0]);
                for i in 1..D {
                    out[i] = round.select(zero - b[i] * factor, x[i]);
                }
            }
            if rooted.any() {
                self.glide_root(simd, rooted, &b, (&mut out, guess));
            }
        }
        for out in &mut out {
            *out = open.select(zero, *out);
        }
        Answers {
            r: out,
            open,
            closed,
        }
    }

    #[inline(always)]
    fn glide_root<S: Fours>(
        &self,
        simd: S,
        rooted: Mask<S>,
        b: &[Four<S>; D],
        (out, guess): (&mut [Four<S>; D], &mut Four<S>),
    ) {
        let (zero, one, two) = (simd.splat(0.0), simd.splat(1.0), simd.splat(2.0));
        let mut t = *guess;
        let normal = simd.load(&self.stiffness[0]);
        let (mut going, mut done) = (rooted, !(rooted | !rooted));
        for _ in 0..QUICK_STEPS {
            let (mut square, mut slope, mut positive) = (zero, zero, t.gt(zero));
            for i in 1..D {
                let m = normal + simd.load(&self.stiffness[i]);
                let divisor = m * t + b[0];
                positive = positive & divisor.gt(zero);
                let d = one / divisor;
                let e = b[i] * d;
                square += e * e;
                slope += e * e * m * d;
            }
            let step = (square - one) / (two * slope);
            going = going & positive & step.abs().le(simd.splat(QUICK_FIRST) * t);
            t = going.select(t + step, t);
            let last = going & step.abs().le(simd.splat(QUICK_LAST) * t);
            done = done | last;
            going = going & !last;
            if !going.any() {
                break;
            }
        }
        let (mut r, mut square) = ([t; D], zero);
        for i in 1..D {
            let m = normal + simd.load(&self.stiffness[i]);
            let e = (zero - b[i]) / (m * t + b[0]);
            square += e * e;
            r[i] = r[i] * e;
        }
        let factor = simd.splat(1.5) - simd.splat(0.5) * square;
        out[0] = done.select(r[0], out[0]);
        for i in 1..D {
            out[i] = done.select(r[i] * factor, out[i]);
        }
        one_by_one(simd, rooted & !done, (out, guess), |found| {
            self.glide_brackets(&b.map(Four::store), found);
        });
        *guess = done.select(t, *guess);
    }

    #[cold]
    #[inline(never)]
    fn glide_brackets(&self, b: &[Quad; D], found: &mut Found<D>) {
        found.each(|l, guess| {
            let glide = Glide {
                stiffness: &lane(&self.stiffness, l),
                b: &lane(b, l),
            };
            glide.bracketed(guess)
        });
    }

    /// Where an impulse that its law takes away has become rounding beside the velocity that opens the contact.
    #[inline(always)]
    pub(crate) fn is_nothing<S: Fours>(
        &self,
        simd: S,
        r: &[Four<S>; D],
        u: &[Four<S>; D],
    ) -> Mask<S> {
        let least = simd.splat(f64::EPSILON) * u[0].abs();
        let mut small = (simd.load(&self.stiffness[0]) * r[0].abs()).le(least);
        for i in 1..D {
            small = small & (simd.load(&self.stiffness[i]) * r[i].abs()).le(least);
        }
        small
    }
}

/// Roots that are found one by one.
struct Found<const D: usize> {
    left: [bool; LANES],
    r: [Quad; D],
    guess: Quad,
}

impl<const D: usize> Found<D> {
    /// Finds them, each from its guess.
    fn each(&mut self, root: impl Fn(usize, &mut f64) -> [f64; D]) {
        for l in (0..LANES).filter(|l| self.left[*l]) {
            let r = root(l, &mut self.guess.0[l]);
            for i in 0..D {
                self.r[i].0[l] = r[i];
            }
        }
    }
}

/// Replaces the impulses and guesses of the contacts in `left` by what `find` finds.
#[inline(always)]
fn one_by_one<S: Fours, const D: usize>(
    simd: S,
    left: Mask<S>,
    (out, guess): (&mut [Four<S>; D], &mut Four<S>),
    find: impl FnOnce(&mut Found<D>),
) {
    if !left.any() {
        return;
    }
    let mut found = Found {
        left: left.get(),
        r: out.map(Four::store),
        guess: guess.store(),
    };
    find(&mut found);
    for i in 0..D {
        out[i] = simd.load(&found.r[i]);
    }
    *guess = simd.load(&found.guess);
}
