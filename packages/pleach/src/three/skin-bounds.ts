/**
 * Skinned meshes: a box per bone in the space of the bone, so that the bounds of any pose are those of the posed boxes.
 */
import {
	Box3,
	type BufferAttribute,
	type BufferGeometry,
	type Frustum,
	type Intersection,
	Matrix4,
	type Raycaster,
	type Skeleton,
	type SkinnedMesh,
	Sphere,
	Vector3,
	Vector4,
} from 'three';
import { versionOf } from './bounds.js';

/** A sphere that every ray meets: the test of three.js uses the pose of an earlier time. */
const EVERYWHERE = new Sphere(new Vector3(), Number.POSITIVE_INFINITY);
/** How far the weights of a vertex may be from 1 for the vertex to be between the posed boxes. */
const WEIGHT_TOLERANCE = 1e-3;

const posed = new Box3();
const part = new Box3();
const point = new Vector3();
const vertex = new Vector3();
const indices = new Vector4();
const weights = new Vector4();
const matrix = new Matrix4();

/** The bounds of a skinned mesh in its current pose. */
export class SkinBounds {
	private boxes: Box3[] | null = null;
	private skeleton: Skeleton | null = null;
	private geometry: BufferGeometry | null = null;
	private version = -1;

	constructor(private readonly mesh: SkinnedMesh) {}

	/** Appends the hits of the mesh in its current pose. */
	raycast(raycaster: Raycaster, hits: Intersection[]): void {
		const { mesh } = this;
		if (this.compute() && !raycaster.ray.intersectsBox(posed)) return;
		const { boundingSphere, boundingBox } = mesh;
		mesh.boundingSphere = EVERYWHERE;
		mesh.boundingBox = null as unknown as Box3;
		try {
			mesh.raycast(raycaster, hits);
		} finally {
			mesh.boundingSphere = boundingSphere;
			mesh.boundingBox = boundingBox;
		}
	}

	/** Returns `false` if the mesh is not in the frustum. */
	intersects(frustum: Frustum): boolean {
		return !this.compute() || frustum.intersectsBox(posed);
	}

	/** Computes the box of the current pose in world space; returns `false` if it is not known. */
	private compute(): boolean {
		const { mesh } = this;
		this.refresh();
		const { boxes } = this;
		if (boxes === null) return false;
		posed.makeEmpty();
		boxes.forEach((box, i) => {
			const bone = mesh.skeleton.bones[i];
			if (bone !== undefined && !box.isEmpty()) posed.union(part.copy(box).applyMatrix4(bone.matrixWorld));
		});
		// In attached mode this is the identity.
		if (mesh.bindMode === 'detached')
			posed.applyMatrix4(matrix.multiplyMatrices(mesh.matrixWorld, mesh.bindMatrixInverse));
		const size = posed.getSize(point);
		posed.expandByScalar(Math.max(size.x, size.y, size.z) * 1e-3);
		return true;
	}

	private refresh(): void {
		const { mesh } = this;
		const { skeleton } = mesh;
		const geometry = mesh.geometry as BufferGeometry;
		const version = versionOf(geometry.attributes.position);
		if (this.skeleton === skeleton && this.geometry === geometry && this.version === version) return;
		this.skeleton = skeleton;
		this.geometry = geometry;
		this.version = version;
		this.boxes = boxesOfBones(mesh, geometry, skeleton);
	}
}

/** Returns the box of the vertices of each bone, in its space; `null` if vertices may be outside of the posed boxes. */
function boxesOfBones(mesh: SkinnedMesh, geometry: BufferGeometry, skeleton: Skeleton | undefined): Box3[] | null {
	const { position, skinIndex, skinWeight } = geometry.attributes;
	if (skeleton === undefined || position === undefined || skinIndex === undefined || skinWeight === undefined)
		return null;
	if (geometry.morphAttributes.position !== undefined) return null;
	const boxes = skeleton.bones.map(() => new Box3());
	for (let i = 0; i < position.count; i++) {
		indices.fromBufferAttribute(skinIndex as BufferAttribute, i);
		weights.fromBufferAttribute(skinWeight as BufferAttribute, i);
		const sum = weights.x + weights.y + weights.z + weights.w;
		if (Math.abs(sum - 1) > WEIGHT_TOLERANCE || Math.min(weights.x, weights.y, weights.z, weights.w) < 0) return null;
		vertex.fromBufferAttribute(position as BufferAttribute, i).applyMatrix4(mesh.bindMatrix);
		for (let k = 0; k < 4; k++) {
			if (weights.getComponent(k) === 0) continue;
			const bone = indices.getComponent(k);
			const inverse = skeleton.boneInverses[bone];
			const box = boxes[bone];
			if (inverse === undefined || box === undefined) return null;
			box.expandByPoint(point.copy(vertex).applyMatrix4(inverse));
		}
	}
	return boxes;
}
