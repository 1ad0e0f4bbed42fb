//! Integration of equations of motion without events, as a reference.

use nalgebra::SVector;

/// One step of the classical method of Runge and Kutta.
pub(crate) fn rk4<const N: usize>(
    rate: impl Fn(&SVector<f64, N>) -> SVector<f64, N>,
    y: &SVector<f64, N>,
    h: f64,
) -> SVector<f64, N> {
    let k1 = rate(y);
    let k2 = rate(&(y + k1 * (0.5 * h)));
    let k3 = rate(&(y + k2 * (0.5 * h)));
    let k4 = rate(&(y + k3 * h));
    y + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector2;

    #[test]
    fn an_oscillator_is_met_to_fourth_order() {
        let error = |steps: u32| {
            let h = 1.0 / f64::from(steps);
            let end = (0..steps).fold(Vector2::new(1.0, 0.0), |y, _| {
                rk4(|y| Vector2::new(y[1], -y[0]), &y, h)
            });
            (end[0] - 1.0_f64.cos()).abs()
        };
        let order = (error(20) / error(40)).log2();
        assert!((order - 4.0).abs() < 0.1, "{order}");
    }
}
