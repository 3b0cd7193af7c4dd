/** A figure with a skeleton, its mesh and its clips, made in code: blocks whose ends follow two joints. */
import { type Clip, createGeometry, type Geometry, type Material, quat, type Scene, type SceneNode } from 'pleach';

interface Joint {
	readonly name: string;
	readonly parent: string | null;
	/** Relative to the parent, in metres; Z is up, the figure faces −Y. */
	readonly at: readonly [number, number, number];
	/** Where the block of this joint ends, and its half width and half depth at both ends. */
	readonly end: readonly [number, number, number];
	readonly from: readonly [number, number];
	readonly to: readonly [number, number];
}

const side = (name: string, s: number): Joint[] => [
	{
		name: `arm.${name}`,
		parent: 'chest',
		at: [0.22 * s, 0, 0.26],
		end: [0.03 * s, 0, -0.29],
		from: [0.06, 0.065],
		to: [0.045, 0.05],
	},
	{
		name: `hand.${name}`,
		parent: `arm.${name}`,
		at: [0.03 * s, 0, -0.29],
		end: [0, -0.02, -0.33],
		from: [0.045, 0.05],
		to: [0.045, 0.06],
	},
	{
		name: `leg.${name}`,
		parent: 'hips',
		at: [0.1 * s, 0, -0.05],
		end: [0, 0, -0.44],
		from: [0.085, 0.095],
		to: [0.06, 0.065],
	},
	{
		name: `foot.${name}`,
		parent: `leg.${name}`,
		at: [0, 0, -0.44],
		end: [0, 0, -0.42],
		from: [0.06, 0.065],
		to: [0.05, 0.06],
	},
	{
		name: `toes.${name}`,
		parent: `foot.${name}`,
		at: [0, 0, -0.4],
		end: [0, -0.2, -0.03],
		from: [0.055, 0.05],
		to: [0.05, 0.03],
	},
];

const JOINTS: readonly Joint[] = [
	{ name: 'hips', parent: null, at: [0, 0, 0.95], end: [0, 0, 0.16], from: [0.16, 0.1], to: [0.14, 0.09] },
	{ name: 'chest', parent: 'hips', at: [0, 0, 0.16], end: [0, 0, 0.34], from: [0.14, 0.09], to: [0.19, 0.1] },
	{ name: 'head', parent: 'chest', at: [0, 0, 0.4], end: [0, -0.02, 0.27], from: [0.09, 0.1], to: [0.1, 0.11] },
	...side('left', 1),
	...side('right', -1),
];

type Vec3 = readonly [number, number, number];
const sum = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const cross = (a: Vec3, b: Vec3): Vec3 => [
	a[1] * b[2] - a[2] * b[1],
	a[2] * b[0] - a[0] * b[2],
	a[0] * b[1] - a[1] * b[0],
];
const minus = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const unit = (a: Vec3): Vec3 => {
	const length = Math.hypot(...a);
	return [a[0] / length, a[1] / length, a[2] / length];
};

/** Creates the geometry: a block per joint, whose first end follows the parent too. */
export function figureGeometry(): Geometry {
	const places = new Map<string, Vec3>();
	const positions: number[] = [];
	const normals: number[] = [];
	const joints: number[] = [];
	const weights: number[] = [];
	const colors: number[] = [];
	const indices: number[] = [];
	const shirt: Vec3 = [1, 1, 1];
	const skin: Vec3 = [0.75, 0.5, 0.36];
	const trousers: Vec3 = [0.1, 0.13, 0.19];
	JOINTS.forEach((joint, number) => {
		const start = sum(joint.at, joint.parent === null ? [0, 0, 0] : (places.get(joint.parent) as Vec3));
		places.set(joint.name, start);
		const end = sum(start, joint.end);
		const parent = Math.max(
			0,
			JOINTS.findIndex((each) => each.name === joint.parent),
		);
		const share = joint.name.startsWith('hand') || joint.name.startsWith('foot') || joint.name === 'chest' ? 0.5 : 0;
		const isSkin = joint.name === 'head' || joint.name.startsWith('hand');
		const color = isSkin ? skin : /leg|foot|toes|hips/.test(joint.name) ? trousers : shirt;
		const lies = Math.abs(joint.end[1]) > Math.abs(joint.end[2]);
		// Corners of both ends, around the axis.
		const ring = (centre: Vec3, [width, depth]: readonly [number, number]): Vec3[] =>
			[
				[-1, -1],
				[1, -1],
				[1, 1],
				[-1, 1],
			].map(([a, b]) => sum(centre, lies ? [a! * width, 0, b! * depth] : [a! * width, b! * depth, 0]));
		const [bottom, top] = [ring(start, joint.from), ring(end, joint.to)];
		const middle = sum(start, [joint.end[0] / 2, joint.end[1] / 2, joint.end[2] / 2]);
		const face = (corners: readonly { at: Vec3; isStart: boolean }[]) => {
			const [a, b, c] = corners.map(({ at }) => at) as [Vec3, Vec3, Vec3];
			let normal = unit(cross(minus(b, a), minus(c, a)));
			const centre = sum(minus(a, middle), minus(c, middle));
			const isOutward = normal[0] * centre[0] + normal[1] * centre[1] + normal[2] * centre[2] > 0;
			if (!isOutward) normal = [-normal[0], -normal[1], -normal[2]];
			const first = positions.length / 3;
			for (const { at, isStart } of corners) {
				positions.push(...at);
				normals.push(...normal);
				const own = isStart ? 1 - share : 1;
				joints.push(number, parent, 0, 0);
				weights.push(own, 1 - own, 0, 0);
				colors.push(...color, 1);
			}
			const order = isOutward ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2];
			indices.push(...order.map((corner) => first + corner));
		};
		const at = (list: Vec3[], i: number, isStart: boolean) => ({ at: list[i % 4] as Vec3, isStart });
		for (let i = 0; i < 4; i++) {
			face([at(bottom, i, true), at(bottom, i + 1, true), at(top, i + 1, false), at(top, i, false)]);
		}
		face([0, 1, 2, 3].map((i) => at(bottom, i, true)));
		face([0, 1, 2, 3].map((i) => at(top, i, false)));
	});
	return createGeometry({ positions, normals, joints, weights, colors, indices });
}

/** A figure in a scene: the root, its clips, and the names of both. */
export interface Figure {
	readonly root: SceneNode;
	readonly clips: { readonly walk: Clip; readonly run: Clip; readonly wave: Clip };
}

/** Adds a figure. */
export function createFigure(scene: Scene, geometry: Geometry, material: Material): Figure {
	const root = scene.createGroup({ name: 'figure' });
	const nodes = new Map<string, SceneNode>();
	for (const { name, parent, at } of JOINTS) {
		nodes.set(name, scene.createGroup({ name, parent: parent === null ? root : nodes.get(parent)!, position: at }));
	}
	const skin = scene.createSkin({ joints: [...nodes.values()] });
	scene.createSkinnedMesh({ name: 'body', parent: root, geometry, material, skin });

	/** A rotation about an axis that follows a curve of the phase, in turns. */
	const channel = (name: string, seconds: number, axis: Vec3, angle: (phase: number) => number) => {
		const keys = 16;
		const times = Array.from({ length: keys + 1 }, (_, i) => (i / keys) * seconds);
		const values = times.flatMap((time) => quat.fromAxisAngle(axis, angle((time / seconds) * 2 * Math.PI)));
		return { node: nodes.get(name)!, property: 'rotation' as const, times, values };
	};
	const gait = (name: string, seconds: number, swing: number, bend: number, lean: number) => {
		const x: Vec3 = [1, 0, 0];
		const leg = (s: string, shift: number) => [
			channel(`leg.${s}`, seconds, x, (p) => swing * Math.sin(p + shift)),
			channel(`foot.${s}`, seconds, x, (p) => bend * Math.max(0, Math.cos(p + shift)) + 0.08),
			channel(`arm.${s}`, seconds, x, (p) => -0.8 * swing * Math.sin(p + shift)),
			channel(`hand.${s}`, seconds, x, (p) => -0.3 - bend * 0.5 - 0.2 * Math.sin(p + shift)),
		];
		const times = Array.from({ length: 17 }, (_, i) => (i / 16) * seconds);
		const hips = {
			node: nodes.get('hips')!,
			property: 'position' as const,
			times,
			values: times.flatMap((t) => [0, 0, 0.93 + 0.03 * swing * Math.cos((4 * Math.PI * t) / seconds)]),
		};
		return scene.createClip(name, [
			...leg('left', 0),
			...leg('right', Math.PI),
			hips,
			channel('chest', seconds, x, () => lean),
			channel('hips', seconds, [0, 0, 1], (p) => 0.12 * swing * Math.sin(p)),
		]);
	};
	const wave = scene.createClip('wave', [
		channel('arm.right', 1, [0, 1, 0], () => 2.6),
		channel('hand.right', 1, [0, 1, 0], (p) => 0.35 + 0.45 * Math.sin(p)),
	]);
	return { root, clips: { walk: gait('walk', 1.1, 0.5, 0.7, 0.03), run: gait('run', 0.7, 0.85, 1.5, 0.2), wave } };
}
