//! Answers solved with sixty digits from the surfaces and equal normals; residuals below 1e-60.

use nalgebra::Vector3;
use signorini_benches::pairs::{Member, Recipe};
use signorini_geometry::Pose;

/// A pair with its closest points.
pub(super) struct Reference {
    pub(super) name: &'static str,
    pub(super) pair: [Member<3>; 2],
    pub(super) gap: f64,
    pub(super) a: Vector3<f64>,
    pub(super) b: Vector3<f64>,
    pub(super) normal: Vector3<f64>,
}

pub(super) fn references() -> Vec<Reference> {
    let ellipsoid = |x, y, z| Recipe::Ellipsoid {
        semi_axes: Vector3::new(x, y, z),
    };
    let superquadric = |x, y, z, p| Recipe::Superquadric {
        semi_axes: Vector3::new(x, y, z),
        exponents: [p, p],
    };
    let turned = [
        0.936_585_811_581_694,
        0.093_658_581_158_169_4,
        0.187_317_162_316_338_8,
        0.280_975_743_474_508_16,
    ];
    let other = [
        0.923_380_516_876_638_7,
        -0.307_793_505_625_546_2,
        0.205_195_670_417_030_82,
        0.102_597_835_208_515_41,
    ];
    let at = |recipe, quaternion, place: [f64; 3]| {
        Member::new(recipe, Pose::from_quaternion(quaternion, place.into()))
    };
    vec![
        Reference {
            name: "ellipsoids",
            pair: [
                at(ellipsoid(1.0, 0.6, 0.4), [1.0, 0.0, 0.0, 0.0], [0.0; 3]),
                at(
                    ellipsoid(0.5, 0.3, 0.2),
                    [turned[0], turned[2], turned[3], turned[1]],
                    [1.5, 0.8, 0.4],
                ),
            ],
            gap: 0.548_077_498_474_997_1,
            a: Vector3::new(
                0.851_580_760_198_384_1,
                0.259_991_102_540_723_8,
                0.118_013_750_214_376_88,
            ),
            b: Vector3::new(
                1.200_355_669_622_572_7,
                0.555_775_579_930_394_3,
                0.420_100_740_708_967_7,
            ),
            normal: Vector3::new(
                0.636_360_570_165_059_3,
                0.539_676_374_623_440_2,
                0.551_175_684_707_245_5,
            ),
        },
        Reference {
            name: "superquadrics of exponents 4 and 8",
            pair: [
                at(superquadric(0.5, 0.3, 0.2, 4.0), turned, [0.0; 3]),
                at(superquadric(0.4, 0.4, 0.25, 8.0), other, [0.7, 0.5, 0.5]),
            ],
            gap: 0.260_902_468_266_033_4,
            a: Vector3::new(
                0.253_298_621_553_653_8,
                0.394_972_976_330_464,
                0.081_524_902_606_399_64,
            ),
            b: Vector3::new(
                0.341_115_545_719_106_5,
                0.546_128_457_359_303,
                0.275_200_678_924_368_8,
            ),
            normal: Vector3::new(
                0.336_589_089_206_732_8,
                0.579_356_270_691_586,
                0.742_330_180_335_758_5,
            ),
        },
        Reference {
            name: "superquadrics of exponent 1.5",
            pair: [
                at(superquadric(0.5, 0.3, 0.2, 1.5), turned, [0.0; 3]),
                at(superquadric(0.4, 0.4, 0.25, 1.5), other, [0.6, 0.4, 0.3]),
            ],
            gap: 0.215_658_379_609_383_9,
            a: Vector3::new(
                0.326_299_042_702_248_5,
                0.229_885_687_485_119_9,
                -0.029_895_978_272_793_497,
            ),
            b: Vector3::new(
                0.453_105_925_793_576_2,
                0.312_694_844_079_167_8,
                0.123_633_154_730_001_58,
            ),
            normal: Vector3::new(
                0.587_998_868_029_192_8,
                0.383_983_023_261_316_5,
                0.711_908_961_204_652_3,
            ),
        },
    ]
}
