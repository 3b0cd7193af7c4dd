/**
 * Instanced meshes: a box per instance, so that a ray tests the triangles of the instances near it only.
 */
import {
	Box3,
	type BufferGeometry,
	type InstancedMesh,
	type Intersection,
	Matrix4,
	Mesh,
	Ray,
	type Raycaster,
} from 'three';
import { enlarged, versionOf } from './bounds.js';

const box = new Box3();
const instanceMatrix = new Matrix4();
const inverse = new Matrix4();
const localRay = new Ray();

/** The boxes of the instances of a mesh, in its own space. */
export class InstanceBoxes {
	/** The box of all instances: 6 floats, or `null`. */
	minMax: Float32Array | null = null;
	private boxes = new Float32Array(0);
	private count = -1;
	private version = -1;
	private matrices: object | null = null;
	private geometry: BufferGeometry | null = null;
	private geometryVersion = -1;
	/** Stands for one instance. */
	private readonly single = new Mesh();

	constructor(private readonly mesh: InstancedMesh) {}

	/** Computes the boxes if instances or geometry changed; returns `true` if they did. */
	refresh(): boolean {
		const { mesh } = this;
		const geometry = mesh.geometry as BufferGeometry;
		const geometryVersion = versionOf(geometry.attributes.position);
		const { version } = mesh.instanceMatrix;
		if (
			this.count === mesh.count &&
			this.version === version &&
			this.matrices === mesh.instanceMatrix &&
			this.geometry === geometry &&
			this.geometryVersion === geometryVersion
		) {
			return false;
		}
		this.count = mesh.count;
		this.version = version;
		this.matrices = mesh.instanceMatrix;
		this.geometry = geometry;
		this.geometryVersion = geometryVersion;
		this.compute(geometry);
		return true;
	}

	private compute(geometry: BufferGeometry): void {
		const one = new Box3();
		const all = new Box3();
		const { position } = geometry.attributes;
		if (position !== undefined) one.setFromBufferAttribute(position as Parameters<Box3['setFromBufferAttribute']>[0]);
		this.boxes = new Float32Array(this.count * 6);
		for (let i = 0; i < this.count; i++) {
			this.mesh.getMatrixAt(i, instanceMatrix);
			box.copy(one).applyMatrix4(instanceMatrix);
			const minMax = enlarged(box);
			if (minMax === null) {
				// An empty box, which no ray hits.
				this.boxes.set([1, 1, 1, -1, -1, -1], i * 6);
				continue;
			}
			this.boxes.set(minMax, i * 6);
			all.union(box);
		}
		this.minMax = enlarged(all);
	}

	/** Appends the hits of all instances. */
	raycast(raycaster: Raycaster, hits: Intersection[]): void {
		const { mesh, single, boxes } = this;
		if (mesh.material === undefined) return;
		if (mesh.morphTexture != null) {
			mesh.raycast(raycaster, hits);
			return;
		}
		inverse.copy(mesh.matrixWorld).invert();
		localRay.copy(raycaster.ray).applyMatrix4(inverse);
		const { origin: o, direction: d } = localRay;
		const [ix, iy, iz] = [1 / d.x, 1 / d.y, 1 / d.z];
		single.geometry = mesh.geometry;
		single.material = mesh.material;
		const found: Intersection[] = [];
		for (let i = 0; i < this.count; i++) {
			const row = i * 6;
			const x1 = ((boxes[row] as number) - o.x) * ix;
			const x2 = ((boxes[row + 3] as number) - o.x) * ix;
			const y1 = ((boxes[row + 1] as number) - o.y) * iy;
			const y2 = ((boxes[row + 4] as number) - o.y) * iy;
			const z1 = ((boxes[row + 2] as number) - o.z) * iz;
			const z2 = ((boxes[row + 5] as number) - o.z) * iz;
			const near = Math.max(Math.min(x1, x2), Math.min(y1, y2), Math.min(z1, z2));
			const far = Math.min(Math.max(x1, x2), Math.max(y1, y2), Math.max(z1, z2));
			// NaN (a ray in the plane of a face) counts as a hit.
			if (far < 0 || near > far) continue;
			mesh.getMatrixAt(i, instanceMatrix);
			single.matrixWorld.multiplyMatrices(mesh.matrixWorld, instanceMatrix);
			single.raycast(raycaster, found);
			for (const hit of found) {
				hit.instanceId = i;
				hit.object = mesh;
				hits.push(hit);
			}
			found.length = 0;
		}
	}
}
