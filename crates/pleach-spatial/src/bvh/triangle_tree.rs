//! `TriangleTree`: the triangles of one geometry, for raycasts.
//!
//! Shared by all nodes with that geometry: rays are in the geometry's local space. Leaves are
//! packets of up to four adjacent triangles; a packet has its own copy of their corners.
//!
//! Invariants: every triangle is in exactly one packet; the stored corners of one without area are
//! all zero. The box of a packet encloses its triangles with area, and boxes above are exact unions
//! (`bvh/node.rs`). Parents precede their children in memory.

use glam::{DVec3, Vec3};

use crate::bvh::build::{Builder, LeafSink, Quality};
use crate::bvh::node::{Arena, Child};
use crate::bvh::traversal::{LeafVisitor, RayTraversal};
use crate::kernel::prefetch::prefetch;
use crate::kernel::{self, NodeKernel, Slabs};
use crate::shapes::ray_triangle::{Corners, LaneHit, PACKET_SIZE, RawHit, ShearedRay, has_area};
use crate::{Aabb, Error, QueryKernel, Ray, TreeProblem, TriangleHit};

/// The index of an unused lane of a packet.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
#[repr(C, align(32))]
struct TrianglePacket {
    corners: Corners,
    triangles: [u32; PACKET_SIZE],
}

/// A bounding volume hierarchy of the triangles of a geometry, for raycasts.
///
/// ```
/// use pleach_spatial::glam::Vec3;
/// use pleach_spatial::{Ray, TriangleTree};
///
/// let positions = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
/// let tree = TriangleTree::build(&positions, &[0, 1, 2, 0, 2, 3])?;
/// let (triangle, hit) = tree.raycast(&Ray::new(Vec3::new(0.1, 0.9, 5.0), Vec3::NEG_Z)?).unwrap();
/// assert_eq!((triangle, hit.distance), (1, 5.0));
/// # Ok::<(), pleach_spatial::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TriangleTree {
    arena: Arena,
    packets: Vec<TrianglePacket>,
    /// By triangle: the indices of its three corners.
    indices: Vec<[u32; 3]>,
    vertices: usize,
    /// By packet: the node and lane of its box.
    locations: Vec<(u32, u8)>,
}

impl TriangleTree {
    /// Builds a tree of the triangles given by `indices`, three per triangle. (One or two trailing
    /// indices are ignored, as in glTF.)
    ///
    /// O(n log n). No ray hits a triangle without area, or with a corner that is not finite; a
    /// [`refit`](Self::refit) may change that.
    ///
    /// # Errors
    ///
    /// [`Error::IndexOutOfRange`] if an index is not less than the number of positions;
    /// [`Error::TooManyTriangles`] for more than 2^31 - 2.
    pub fn build(positions: &[Vec3], indices: &[u32]) -> Result<Self, Error> {
        Self::validate(positions.len(), indices)?;
        Ok(Self::build_validated(positions, indices))
    }

    /// Builds a tree from validated indices.
    pub(crate) fn build_validated(positions: &[Vec3], indices: &[u32]) -> Self {
        let (triangles, _) = indices.as_chunks::<3>();
        let mut tree =
            Self { indices: triangles.to_vec(), vertices: positions.len(), ..Self::default() };
        let mut builder = Builder::default();
        builder.reserve(triangles.len());
        // A refit may give a triangle an area. Until then it is placed at its own position if
        // that is finite, otherwise at that of the previous triangle.
        let (mut aabb, mut all_have_area) = (Aabb { min: Vec3::ZERO, max: Vec3::ZERO }, true);
        for (number, corners) in tree.indices.iter().enumerate() {
            let corners = corners.map(|index| positions[index as usize]);
            all_have_area &= has_area(&corners);
            if corners.iter().all(|corner| corner.is_finite()) {
                aabb = triangle_bounds(&corners);
            }
            builder.push(&aabb, Child::leaf(number as u32));
        }
        if builder.len() > 0 {
            let root = tree.arena.allocate();
            tree.packets.reserve(builder.len() / 2);
            let mut packets = PacketSink {
                positions,
                indices: &tree.indices,
                packets: &mut tree.packets,
                locations: &mut tree.locations,
            };
            builder.build(&mut tree.arena, root, Quality::High, &mut packets);
        }
        if !all_have_area {
            tree.refit_validated(positions);
        }
        tree
    }

    /// Copies the corners from positions, as many as the tree was built with, and refits the boxes.
    fn refit_validated(&mut self, positions: &[Vec3]) {
        for (packet, &(node, lane)) in self.packets.iter_mut().zip(&self.locations) {
            let aabb = packet.fill(positions, &self.indices);
            self.arena.nodes[node as usize].set_aabb(lane as usize, &aabb);
        }
        for index in (0..self.arena.nodes.len() as u32).rev() {
            self.arena.refit_one(index);
        }
    }

    pub(crate) fn validate(vertices: usize, indices: &[u32]) -> Result<(), Error> {
        let triangles = indices.len() / 3;
        if triangles >= (1 << 31) - 1 {
            return Err(Error::TooManyTriangles { triangles });
        }
        match indices[..3 * triangles].iter().position(|&index| index as usize >= vertices) {
            Some(at) => Err(Error::IndexOutOfRange { at, index: indices[at], vertices }),
            None => Ok(()),
        }
    }

    /// Like [`build`](Self::build), for positions without indices, three per triangle.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyTriangles`] for more than 2^31 - 2.
    pub fn build_unindexed(positions: &[Vec3]) -> Result<Self, Error> {
        let corners = positions.len() / 3 * 3;
        match u32::try_from(corners) {
            Ok(corners) => Self::build(positions, &(0..corners).collect::<Vec<_>>()),
            Err(_) => Err(Error::TooManyTriangles { triangles: corners / 3 }),
        }
    }

    /// Moves the corners to another pose of the same triangles, and refits the boxes.
    ///
    /// O(n), several times faster than a build. Raycasts become slower the more the pose differs
    /// from the one that was built. Triangles may lose their area and regain it. A tree that is
    /// shared is cloned first:
    ///
    /// ```
    /// use pleach_spatial::glam::Vec3;
    /// use pleach_spatial::{Ray, TriangleMesh};
    ///
    /// let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![0, 1, 2])?;
    /// let posed: Vec<Vec3> = mesh.positions().iter().map(|position| position + Vec3::Z).collect();
    /// let mut tree = mesh.tree().clone();
    /// tree.refit(&posed)?;
    /// let down = Ray::new(Vec3::new(0.2, 0.2, 5.0), Vec3::NEG_Z)?;
    /// assert_eq!(tree.raycast(&down).unwrap().1.distance, 4.0);
    /// # Ok::<(), pleach_spatial::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::VertexCount`] if the number of positions differs from that of the build.
    pub fn refit(&mut self, positions: &[Vec3]) -> Result<(), Error> {
        if positions.len() != self.vertices {
            return Err(Error::VertexCount { given: positions.len(), built: self.vertices });
        }
        self.refit_validated(positions);
        Ok(())
    }

    /// Returns the number of triangles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Returns `true` if there are no triangles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Returns the indices of the corners of a triangle.
    #[must_use]
    pub fn triangle(&self, triangle: u32) -> Option<[u32; 3]> {
        self.indices.get(triangle as usize).copied()
    }

    /// Returns the box of all triangles that a ray can hit.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let all = self.arena.nodes.first().map_or(Aabb::EMPTY, |root| root.union());
        if all.is_empty() { Aabb::EMPTY } else { all }
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of_val(&*self.arena.nodes)
            + size_of_val(&*self.packets)
            + size_of_val(&*self.indices)
            + size_of_val(&*self.locations)
    }

    /// Returns the nearest triangle hit by a ray, from either side. Of triangles at the same
    /// distance (such as on a shared edge) it is the one with the smallest index.
    #[must_use]
    pub fn raycast(&self, ray: &Ray) -> Option<(u32, TriangleHit)> {
        let local = LocalRay::new(ray.origin().as_dvec3(), ray.direction().as_dvec3());
        let (triangle, hit) = self.nearest_hit(QueryKernel::best(), &local, ray.max_distance())?;
        Some((triangle, hit.rounded()))
    }

    /// Writes all triangles hit by a ray to `hits`, nearest first, then by index.
    pub fn raycast_all(&self, ray: &Ray, hits: &mut Vec<(u32, TriangleHit)>) {
        hits.clear();
        let local = LocalRay::new(ray.origin().as_dvec3(), ray.direction().as_dvec3());
        self.each_hit(QueryKernel::best(), &local, ray.max_distance(), &mut |triangle, hit| {
            hits.push((triangle, hit.rounded()));
        });
        hits.sort_by(|a, b| a.1.distance.total_cmp(&b.1.distance).then(a.0.cmp(&b.0)));
    }

    /// Returns the nearest triangle hit by a ray in local space, within `max_distance`; of
    /// several at the same distance the one with the smallest index.
    pub(crate) fn nearest_hit(
        &self,
        kernel: QueryKernel,
        ray: &LocalRay,
        max_distance: f32,
    ) -> Option<(u32, RawHit)> {
        let mut nearest = NearestPacketHit {
            packets: &self.packets,
            ray: &ray.sheared,
            distance: max_distance,
            triangle: NONE,
            hit: None,
        };
        let (nodes, slabs) = (&self.arena.nodes, &ray.slabs);
        let (max_distance, leaf) = (pad_distance(max_distance), &mut nearest);
        kernel::traverse(kernel, RayTraversal { nodes, slabs, max_distance, leaf });
        let (packet, hit) = nearest.hit?;
        Some((nearest.triangle, hit.complete(&self.packets[packet as usize].corners)))
    }

    pub(crate) fn each_hit(
        &self,
        kernel: QueryKernel,
        ray: &LocalRay,
        max_distance: f32,
        found: &mut impl FnMut(u32, &RawHit),
    ) {
        let leaf = |packet: u32, limit: f32| {
            let packet = &self.packets[packet as usize];
            let hits = ray.sheared.intersect_packet(&packet.corners);
            hits.each(|i| {
                if hits.t[i] as f32 <= max_distance {
                    found(packet.triangles[i], &hits.lane(i).complete(&packet.corners));
                }
            });
            limit
        };
        let (nodes, slabs) = (&self.arena.nodes, &ray.slabs);
        let max_distance = pad_distance(max_distance);
        kernel::traverse(kernel, RayTraversal { nodes, slabs, max_distance, leaf });
    }

    /// Returns the broken invariants: none, unless this crate has a bug. O(n).
    #[must_use]
    pub fn check(&self) -> Vec<TreeProblem> {
        let mut problems = Vec::new();
        let mut found = 0;
        let mut misplaced = Vec::new();
        self.arena.check(&mut problems, |leaf, node, lane| {
            match self.locations.get(leaf as usize) {
                Some(&location) if location == (node, lane as u8) => found += 1,
                _ => misplaced.push(TreeProblem::LeafLocation { leaf }),
            }
        });
        problems.append(&mut misplaced);
        // Each is at one location only, so equal numbers mean that each was found once.
        if found != self.packets.len() {
            problems.push(TreeProblem::LeafCount { found, expected: self.packets.len() });
        }
        let mut triangles: Vec<u32> =
            self.packets.iter().flat_map(|it| it.triangles).filter(|&it| it != NONE).collect();
        triangles.sort_unstable();
        if let Some(pair) = triangles.windows(2).find(|pair| pair[0] == pair[1]) {
            problems.push(TreeProblem::TriangleTwice { triangle: pair[0] });
        }
        problems
    }
}

/// Searches for the nearest triangle of packets that a ray hits.
struct NearestPacketHit<'a> {
    packets: &'a [TrianglePacket],
    ray: &'a ShearedRay,
    /// The distance and the index of the nearest triangle so far.
    distance: f32,
    triangle: u32,
    /// The packet and the hit of that triangle.
    hit: Option<(u32, LaneHit)>,
}

impl LeafVisitor for &mut NearestPacketHit<'_> {
    #[inline(always)]
    fn visit<L: NodeKernel>(&mut self, kernel: L, index: u32, _: f32) -> f32 {
        let packet = &self.packets[index as usize];
        let hits = kernel.triangles(&packet.corners, self.ray);
        hits.each(|i| {
            // Compared with the precision of the result.
            let (t, triangle) = (hits.t[i] as f32, packet.triangles[i]);
            if t < self.distance || (t == self.distance && triangle < self.triangle) {
                (self.distance, self.triangle) = (t, triangle);
                self.hit = Some((index, hits.lane(i)));
            }
        });
        pad_distance(self.distance)
    }

    #[inline(always)]
    fn prefetch(&self, index: u32) {
        let packet = &self.packets[index as usize];
        packet.corners.iter().for_each(prefetch);
        prefetch(&packet.triangles);
    }
}

/// A ray in local space, prepared for boxes and triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalRay {
    pub(crate) slabs: Slabs,
    pub(crate) sheared: ShearedRay,
}

impl LocalRay {
    pub(crate) fn new(origin: DVec3, direction: DVec3) -> Self {
        Self { slabs: Slabs::new(origin, direction), sheared: ShearedRay::new(origin, direction) }
    }
}

/// Returns a maximum distance for boxes that includes every hit that rounds to `max_distance`.
pub(crate) fn pad_distance(max_distance: f32) -> f32 {
    max_distance * (1.0 + 2.0 * f32::EPSILON)
}

fn triangle_bounds(corners: &[Vec3; 3]) -> Aabb {
    let [a, b, c] = *corners;
    Aabb { min: a.min(b).min(c), max: a.max(b).max(c) }
}

impl TrianglePacket {
    /// Copies the corners of the triangles, and returns their box.
    fn fill(&mut self, positions: &[Vec3], indices: &[[u32; 3]]) -> Aabb {
        let mut union = Aabb::EMPTY;
        for (i, &triangle) in self.triangles.iter().enumerate() {
            let mut corners = [Vec3::ZERO; 3];
            if let Some(indices) = indices.get(triangle as usize) {
                let given = indices.map(|index| positions[index as usize]);
                if has_area(&given) {
                    corners = given;
                    union = union.union(&triangle_bounds(&corners));
                }
            }
            for (corner, position) in corners.iter().enumerate() {
                for axis in 0..3 {
                    self.corners[corner][axis][i] = position[axis];
                }
            }
        }
        // If no triangle can be hit: a box that no ray hits.
        if union.is_empty() { Aabb { min: Vec3::MAX, max: Vec3::MIN } } else { union }
    }
}

/// Creates the packets of a tree.
struct PacketSink<'a> {
    positions: &'a [Vec3],
    indices: &'a [[u32; 3]],
    packets: &'a mut Vec<TrianglePacket>,
    locations: &'a mut Vec<(u32, u8)>,
}

impl LeafSink for PacketSink<'_> {
    const MAX_LEAF_SIZE: usize = PACKET_SIZE;

    fn make_leaf(&mut self, children: &[Child]) -> Child {
        let triangles =
            core::array::from_fn(|i| children.get(i).map_or(NONE, |child| child.index()));
        let mut packet = TrianglePacket { corners: Corners::default(), triangles };
        packet.fill(self.positions, self.indices);
        self.packets.push(packet);
        self.locations.push((0, 0));
        Child::leaf(self.packets.len() as u32 - 1)
    }

    fn set_location(&mut self, _: &mut Arena, child: Child, node: u32, lane: usize) {
        if child.is_leaf() {
            self.locations[child.index() as usize] = (node, lane as u8);
        }
    }
}
