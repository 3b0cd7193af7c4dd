import {
	AnimationClip,
	AnimationMixer,
	Bone,
	BufferGeometry,
	CircleGeometry,
	Float32BufferAttribute,
	Mesh,
	MeshLambertMaterial,
	PerspectiveCamera,
	Quaternion,
	QuaternionKeyframeTrack,
	Skeleton,
	SkinnedMesh,
	Uint16BufferAttribute,
	Vector3,
} from 'three';
import { FULL, litScene, orbit, type Stage } from './stage.js';

const FIGURES = 40;
const SIDES = 8;

/** Name, parent, and position of a joint in the figure. */
const JOINTS: readonly (readonly [name: string, parent: number, x: number, y: number])[] = [
	['hips', -1, 0, 1],
	['chest', 0, 0, 1.3],
	['head', 1, 0, 1.62],
	['armL', 1, 0.26, 1.5],
	['foreL', 3, 0.26, 1.2],
	['armR', 1, -0.26, 1.5],
	['foreR', 5, -0.26, 1.2],
	['legL', 0, 0.11, 0.95],
	['shinL', 7, 0.11, 0.5],
	['legR', 0, -0.11, 0.95],
	['shinR', 9, -0.11, 0.5],
];

/** A ring of a limb: height, radius, two joints, and the weight of the second one. */
type Ring = readonly [y: number, radius: number, joint: number, other: number, weight: number];

function limb(top: number, bend: number, bottom: number, radius: number, upper: number, lower: number): Ring[] {
	return [
		[top + radius, 0, upper, lower, 0],
		[top, radius, upper, lower, 0],
		[bend + 0.1, radius * 0.9, upper, lower, 0.1],
		[bend, radius * 0.85, upper, lower, 0.5],
		[bend - 0.1, radius * 0.8, upper, lower, 0.9],
		[bottom + 0.03, radius * 0.7, upper, lower, 1],
		[bottom, 0, upper, lower, 1],
	];
}

/** Creates a body of five limbs and a head around the joints. */
function bodyGeometry(): BufferGeometry {
	const positions: number[] = [];
	const joints: number[] = [];
	const weights: number[] = [];
	const indices: number[] = [];
	const add = (x: number, rings: Ring[]) => {
		const first = positions.length / 3;
		for (const [y, radius, joint, other, weight] of rings) {
			for (let side = 0; side < SIDES; side++) {
				const angle = (side / SIDES) * Math.PI * 2;
				positions.push(x + radius * Math.sin(angle), y, radius * Math.cos(angle));
				joints.push(joint, other, 0, 0);
				weights.push(1 - weight, weight, 0, 0);
			}
		}
		for (let ring = 0; ring + 1 < rings.length; ring++) {
			for (let side = 0; side < SIDES; side++) {
				const a = first + ring * SIDES + side;
				const b = first + ring * SIDES + ((side + 1) % SIDES);
				indices.push(a, a + SIDES, b, b, a + SIDES, b + SIDES);
			}
		}
	};
	add(0, limb(1.52, 1.25, 0.9, 0.2, 1, 0));
	add(0, limb(1.86, 1.72, 1.58, 0.13, 2, 2));
	add(0.26, limb(1.5, 1.2, 0.85, 0.075, 3, 4));
	add(-0.26, limb(1.5, 1.2, 0.85, 0.075, 5, 6));
	add(0.11, limb(0.92, 0.5, 0, 0.1, 7, 8));
	add(-0.11, limb(0.92, 0.5, 0, 0.1, 9, 10));
	const geometry = new BufferGeometry();
	geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
	geometry.setAttribute('skinIndex', new Uint16BufferAttribute(joints, 4));
	geometry.setAttribute('skinWeight', new Float32BufferAttribute(weights, 4));
	geometry.setIndex(indices);
	geometry.computeVertexNormals();
	return geometry;
}

function createSkeleton(): Skeleton {
	const bones = JOINTS.map(([name, parent, x, y]) => {
		const bone = new Bone();
		bone.name = name;
		const [, , fromX, fromY] = JOINTS[parent] ?? ['', -1, 0, 0];
		bone.position.set(x - fromX, y - fromY, 0);
		return bone;
	});
	JOINTS.forEach(([, parent], i) => {
		bones[parent]?.add(bones[i] as Bone);
	});
	bones[0]?.updateMatrixWorld(true);
	return new Skeleton(bones);
}

function walkClip(): AnimationClip {
	const times = Array.from({ length: 17 }, (_, i) => i / 16);
	const axis = new Vector3(1, 0, 0);
	const swing = (name: string, angle: (phase: number) => number) =>
		new QuaternionKeyframeTrack(
			`${name}.quaternion`,
			times,
			times.flatMap((time) => new Quaternion().setFromAxisAngle(axis, angle(time * Math.PI * 2)).toArray()),
		);
	const bend = (phase: number) => Math.max(0, 0.9 * Math.cos(phase));
	return new AnimationClip('walk', 1, [
		swing('legL', (phase) => -0.6 * Math.sin(phase)),
		swing('legR', (phase) => 0.6 * Math.sin(phase)),
		swing('shinL', bend),
		swing('shinR', (phase) => bend(phase + Math.PI)),
		swing('armL', (phase) => 0.5 * Math.sin(phase)),
		swing('armR', (phase) => -0.5 * Math.sin(phase)),
		swing('foreL', () => -0.5),
		swing('foreR', () => -0.5),
		swing('chest', (phase) => 0.06 * Math.sin(phase * 2)),
		swing('head', (phase) => -0.05 * Math.sin(phase * 2)),
	]);
}

/** Forty figures of eleven bones that walk in circles. */
export function skinning(): Stage[] {
	const scene = litScene();
	const camera = new PerspectiveCamera(45, 1, 0.5, 100);
	const ground = new Mesh(new CircleGeometry(13, 48), new MeshLambertMaterial({ color: 0xb9b39f }));
	ground.rotation.x = -Math.PI / 2;
	scene.add(ground);
	const geometry = bodyGeometry();
	const clip = walkClip();
	const materials = [0x2f6b43, 0xc8452d, 0x3d6f99, 0xd59a2b].map((color) => new MeshLambertMaterial({ color }));
	const figures = Array.from({ length: FIGURES }, (_, i) => {
		const mesh = new SkinnedMesh(geometry, materials[i % 4]);
		const skeleton = createSkeleton();
		mesh.add(skeleton.bones[0] as Bone);
		mesh.bind(skeleton);
		scene.add(mesh);
		const mixer = new AnimationMixer(mesh);
		mixer.clipAction(clip).play();
		return { mesh, mixer };
	});
	return [
		{
			scene,
			camera,
			viewport: FULL,
			animate(time) {
				figures.forEach(({ mesh, mixer }, i) => {
					mixer.setTime(time + i * 0.17);
					const ring = i % 4;
					const radius = 3 + ring * 2.6;
					const angle = (Math.floor(i / 4) / (FIGURES / 4)) * Math.PI * 2 + ring * 0.3 + (time * 1.3) / radius;
					mesh.position.set(radius * Math.sin(angle), 0, radius * Math.cos(angle));
					mesh.rotation.y = angle + Math.PI / 2;
				});
				orbit(camera, 0, 15, 8, 0.6);
			},
		},
	];
}
