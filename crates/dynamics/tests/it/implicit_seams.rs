//! Pairs of pieces that lie flush: which of their points are of the whole bodies, and half-spaces in place of pieces.

use nalgebra::Vector2;
use signorini_dynamics::{
    Body, ImplicitContacts, PairLayout, PairRows, PairSeam, Pairs, System, World,
};
use signorini_geometry::{Ball, ConvexSet, Polygon, Pose, Union};

/// A disc on two squares whose upper sides are y = 0 from −1 to 1.
fn worlds() -> [World<2>; 2] {
    let square = ConvexSet::from(Polygon::rectangle(1.0, 1.0).unwrap());
    let places = [-0.5, 0.5].map(|x| Pose::from_position(Vector2::new(x, -0.5)));
    let union = Union::new(places.map(|pose| (square.clone(), pose))).unwrap();
    let apart = [0, 1].map(|k: usize| {
        let mut body = Body::fixed(format!("square {k}"), square.clone());
        body.position[..2].copy_from_slice(places[k].position.as_slice());
        body
    });
    [vec![Body::fixed("squares", union)], apart.to_vec()].map(|ground| {
        let mut world = World::new();
        for body in ground {
            world.add(body).unwrap();
        }
        let disc = Body::solid("disc", Ball::new(0.1).unwrap(), 1.0).unwrap();
        world.add(disc).unwrap();
        world
    })
}

/// The pairs of the disc at a place with both squares.
fn pairs(implicit: &dyn ImplicitContacts, q: &[f64]) -> [PairLayout; 2] {
    let mut pairs = Pairs::default();
    implicit.pairs(q, 10.0, &mut pairs).unwrap();
    pairs.layouts.try_into().unwrap()
}

fn seam(implicit: &dyn ImplicitContacts, q: &[f64], pair: &PairLayout, z: &[f64]) -> PairSeam {
    let mut out = Vec::new();
    implicit.seams(q, &[(pair, z)], &mut Pairs::default(), &mut out);
    out[0]
}

/// The unknowns of a disc that touches the corner of the left square along n: the multipliers of the faces make the normal.
fn at_corner(
    implicit: &dyn ImplicitContacts,
    pair: &PairLayout,
    n: Vector2<f64>,
) -> (Vec<f64>, Vec<f64>) {
    let q = vec![0.1 * n.x, 0.1 * n.y, 0.0];
    let mut z = vec![0.0; pair.nz];
    let mut rows = PairRows::default();
    let mut faces = Vec::new();
    for k in pair.equations..pair.nz {
        z[k] = 1.0;
        implicit.rows(pair, &q, &z, &mut rows);
        z[k] = 0.0;
        faces.push((k, Vector2::from_column_slice(&rows.normal)));
    }
    for (k, normal) in faces {
        z[k] = normal.dot(&n).max(0.0);
    }
    implicit.rows(pair, &q, &z, &mut rows);
    assert!((Vector2::from_column_slice(&rows.normal) - n).norm() < 1e-15);
    (q, z)
}

#[test]
fn an_edge_at_a_seam_is_none_and_has_the_half_space_of_the_upper_side() {
    for world in worlds() {
        let implicit = world.implicit().unwrap();
        assert!(implicit.has_seams());
        let [left, _] = pairs(implicit, &[0.0, 0.1, 0.0]);
        let tilted = Vector2::new(0.99, 0.12).normalize();
        let (q, z) = at_corner(implicit, &left, tilted);
        let PairSeam::Face(plane) = seam(implicit, &q, &left, &z) else {
            panic!("the edge counts");
        };
        let face = plane.face.unwrap();
        assert_eq!((face.side, face.multipliers), (0, [4, 8]));
        let left_out: Vec<_> = (0..plane.nz).filter(|&k| plane.is_left_out(k)).collect();
        assert_eq!(
            left_out,
            (4..8).filter(|&k| k != face.unknown).collect::<Vec<_>>()
        );
        // With the normal of the side it is exposed.
        let (q, z) = at_corner(implicit, &left, Vector2::y());
        assert_eq!(seam(implicit, &q, &left, &z), PairSeam::Counts);
        assert_eq!(implicit.face(&left, &q, &z, 0), Some(plane));
        assert_eq!(implicit.face(&left, &q, &z, 1), None);
        // The half-space goes on beyond its piece, and says whose its point is.
        for (x, piece) in [(-0.3, Some(0)), (0.3, Some(1)), (1.3, None)] {
            let q = [x, 0.1, 0.0];
            let mut z = vec![0.0; plane.nz];
            implicit.start(&plane, &q, &mut z).unwrap();
            let mut rows = PairRows::default();
            implicit.rows(&plane, &q, &z, &mut rows);
            let equations = &rows.closest[..plane.equations];
            assert!(equations.iter().all(|f| f.abs() < 1e-15), "{equations:?}");
            assert!(rows.gap.abs() < 1e-15 && (rows.points[0] - x).abs() < 1e-15);
            let expected = match piece {
                Some(k) => PairSeam::Pieces(pairs(implicit, &q)[k]),
                None => PairSeam::Hidden,
            };
            assert_eq!(seam(implicit, &q, &plane, &z), expected, "{x}");
        }
    }
}

#[test]
fn an_outer_edge_counts_and_a_covered_side_has_no_half_space() {
    for world in worlds() {
        let implicit = world.implicit().unwrap();
        let [left, right] = pairs(implicit, &[0.0, 0.1, 0.0]);
        let n = Vector2::new(1.0, 1.0).normalize();
        let q = [1.0 + 0.1 * n.x, 0.1 * n.y, 0.0];
        let mut z = vec![0.0; right.nz];
        implicit.start(&right, &q, &mut z).unwrap();
        assert_eq!(seam(implicit, &q, &right, &z), PairSeam::Counts);
        let (q, mut z) = at_corner(implicit, &left, Vector2::x());
        // Half-way down the side between the squares.
        z[1] = -0.5;
        z[3] = -0.5;
        assert_eq!(seam(implicit, &q, &left, &z), PairSeam::Hidden);
    }
}
