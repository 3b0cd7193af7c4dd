//! `Kernels`: the SIMD kernels that a recording is forced to use.

use pleach::Scene;
use pleach_graph::{Graph, TransformKernel};
use pleach_spatial::{QueryKernel, SpatialIndex};

/// The kernels of a recording.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    /// The kernel of the graph.
    pub transform: TransformKernel,
    /// The kernel of the spatial index.
    pub query: QueryKernel,
    /// Uses rayon's threads where the feature `parallel` offers them.
    pub is_parallel: bool,
}

impl Kernels {
    /// Portable Rust on one thread.
    pub const SCALAR: Self =
        Self { transform: TransformKernel::Scalar, query: QueryKernel::Scalar, is_parallel: false };

    /// Returns pairs of kernels in which each that this CPU supports occurs; the last is also
    /// returned with threads, if the feature `parallel` is enabled.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let transforms: Vec<TransformKernel> =
            TransformKernel::ALL.into_iter().filter(|kernel| kernel.is_available()).collect();
        let queries: Vec<QueryKernel> =
            QueryKernel::ALL.into_iter().filter(|kernel| kernel.is_available()).collect();
        let pair = |index: usize| Self {
            transform: transforms[index.min(transforms.len() - 1)],
            query: queries[index.min(queries.len() - 1)],
            is_parallel: false,
        };
        let mut kernels: Vec<Self> = (0..transforms.len().max(queries.len())).map(pair).collect();
        if cfg!(feature = "parallel") {
            kernels.extend(kernels.last().map(|&last| Self { is_parallel: true, ..last }));
        }
        kernels
    }

    /// Returns the names of the kernels that this CPU or build does not support.
    #[must_use]
    pub fn unavailable() -> Vec<String> {
        let transforms = TransformKernel::ALL.into_iter().filter(|kernel| !kernel.is_available());
        let queries = QueryKernel::ALL.into_iter().filter(|kernel| !kernel.is_available());
        let names = transforms.map(|kernel| format!("TransformKernel::{kernel:?}"));
        names.chain(queries.map(|kernel| format!("QueryKernel::{kernel:?}"))).collect()
    }

    pub(crate) fn set_graph(self, graph: &mut Graph) {
        assert!(graph.set_kernel(self.transform), "the kernel is available");
    }

    pub(crate) fn set_index(self, index: &mut SpatialIndex) {
        assert!(index.set_kernel(self.query), "the kernel is available");
    }

    pub(crate) fn set_scene(self, scene: &mut Scene) {
        self.set_graph(&mut scene.graph);
        self.set_index(&mut scene.spatial);
    }

    pub(crate) fn update_graph(self, graph: &mut Graph) {
        #[cfg(feature = "parallel")]
        if self.is_parallel {
            graph.update_parallel();
            return;
        }
        graph.update();
    }

    pub(crate) fn update_scene(self, scene: &mut Scene) {
        #[cfg(feature = "parallel")]
        if self.is_parallel {
            scene.update_parallel().expect("the scene is valid");
            return;
        }
        scene.update().expect("the scene is valid");
    }
}
