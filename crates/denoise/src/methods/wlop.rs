//! Weighted locally optimal projection (Huang et al. 2009): the projection of `lop` with weights
//! by local density, so that the result is evenly spread.

use pellucid_cloud::PointCloud;
use serde::{Deserialize, Serialize};

use super::lop::{Lop, PROPERTIES, project};
use crate::local::projection::Push;
use crate::parameters::{Checked, Given, Parameter, ParameterTable, Parameters};
use crate::registry::Method;
use crate::{DenoiseError, Denoised, Run};

const NAME: &str = "wlop";

/// The registry row.
pub const METHOD: Method = Method {
    min_points: 4,
    properties: PROPERTIES,
    ..Method::new::<Wlop>(
        NAME,
        "moves points to local medians, weighted by density, and spreads them evenly",
        "Huang et al. 2009, Consolidation of unorganized point clouds for surface reconstruction",
        Some("10.1145/1618452.1618522"),
    )
};

/// Parameters of weighted locally optimal projection: those of `lop`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Wlop(pub Lop);

impl Default for Wlop {
    /// Weights by density count points off the surface in full, so that it takes a step more.
    fn default() -> Self {
        Wlop(Lop { iterations: 4, ..Lop::default() })
    }
}

impl ParameterTable for Wlop {
    const ROWS: &'static [Parameter] = Lop::ROWS;

    fn values(&self) -> Vec<Given<'_>> {
        self.0.values()
    }
}

impl Parameters for Wlop {
    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError> {
        project(NAME, &checked.0, Push::Even, noisy, run)
    }
}
