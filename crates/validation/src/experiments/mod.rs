//! One folder per experiment, named after paper and item.

mod friction_collection;
mod friction_common;
mod friction_pyramids;
mod geometry_common;
mod geometry_exact;
mod geometry_pairs;
mod geometry_pictures;
mod lcp_batch;
mod lcp_common;
mod lcp_infeasible;
mod lcp_problems;
mod lcp_random;
mod lcp_scaling;
mod lcp_warm;
mod mcp_batch;
mod mcp_common;
mod mcp_features;
mod mcp_problems;
mod st2000_balls;
mod st2000_rod;

pub use friction_collection::FrictionCollection;
pub use friction_pyramids::FrictionPyramids;
pub use geometry_exact::GeometryExact;
pub use geometry_pairs::GeometryPairs;
pub use geometry_pictures::GeometryPictures;
pub use lcp_batch::LcpBatch;
pub use lcp_infeasible::LcpInfeasible;
pub use lcp_problems::LcpProblems;
pub use lcp_random::LcpRandom;
pub use lcp_scaling::LcpScaling;
pub use lcp_warm::LcpWarm;
pub use mcp_batch::McpBatch;
pub use mcp_features::McpFeatures;
pub use mcp_problems::McpProblems;
pub use st2000_balls::{St2000Balls, measures as st2000_balls_measures};
pub use st2000_rod::{St2000Rod, exact as st2000_rod_exact};
