// The figures of `pleach/three` against three.js in the same process: medians. `--nodes=100000 --module=core|index`.
// Uses dist/ (node scripts/build.mjs), or the directory in PLEACH_DIST.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import * as THREE from 'three';
import { acceleratedRaycast, computeBoundsTree } from 'three-mesh-bvh';

const option = (name, value) =>
	process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3) ?? value;
const nodes = Number(option('nodes', 100_000));
const module = option('module', 'core');
const seed = Number(option('seed', 1));
const dist = process.env.PLEACH_DIST
	? pathToFileURL(`${process.env.PLEACH_DIST}/`)
	: new URL('../dist/', import.meta.url);
const { initSync } = await import(new URL(`${module}.js`, dist));
const { attach } = await import(new URL('three.js', dist));
initSync(readFileSync(new URL(module === 'core' ? 'core.wasm' : 'pleach.wasm', dist)));

let state = seed;
const random = () => {
	state = (state + 0x6d2b79f5) >>> 0;
	let t = Math.imul(state ^ (state >>> 15), 1 | state);
	t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
	return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const geometry = new THREE.SphereGeometry(0.4, 12, 8);
const material = new THREE.MeshBasicMaterial();

/** Areas of 100 objects each below the scene, as in the other benchmarks. */
function build(count) {
	const scene = new THREE.Scene();
	const meshes = [];
	const side = Math.ceil(Math.cbrt(count / 100)) * 12;
	let area = scene;
	for (let i = 0; i < count; i++) {
		const object = i % 100 === 0 ? new THREE.Group() : new THREE.Mesh(geometry, material);
		if (i % 100 === 0) {
			object.position.set(random() * side, random() * side, random() * side);
			area = object;
			scene.add(object);
		} else {
			object.position.set(random() * 12, random() * 12, random() * 12);
			object.rotation.y = random();
			area.add(object);
			meshes.push(object);
		}
	}
	return { scene, meshes, side };
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
function measure(runs, prepare, run) {
	const times = [];
	const warmUp = runs > 50 ? 40 : 5;
	for (let i = 0; i < runs + warmUp; i++) {
		prepare(i);
		const start = performance.now();
		run(i);
		const time = performance.now() - start;
		if (i >= warmUp) times.push(time);
	}
	return median(times);
}
const milliseconds = (ms) => (ms < 0.1 ? `${(ms * 1000).toFixed(2)} µs` : `${ms.toFixed(3)} ms`);
const line = (what, ms, compared = '') =>
	console.log(`${what.padEnd(58)} ${milliseconds(ms).padStart(12)}  ${compared}`);
const times = (slow, fast) => `${(slow / fast).toFixed(1)} x`;

console.log(`${nodes} objects, three r${THREE.REVISION}, node ${process.version}, module '${module}', seed ${seed}`);
// Before any bridge exists: the classes and shapes of three.js are as it made them.
const plain = build(nodes);
state = seed;
const frozen = build(nodes);
state = seed;
const bridged = build(nodes);

const moved = Math.floor(nodes / 100);
const choose = (meshes) => Array.from({ length: moved }, () => meshes[Math.floor(random() * meshes.length)]);
const move = (objects, i) => {
	for (const object of objects) object.position.x = (i % 7) + 0.5;
};

plain.scene.updateMatrixWorld();
const threeStill = measure(
	15,
	() => {},
	() => plain.scene.updateMatrixWorld(),
);
let set = [];
const threeMoved = measure(
	15,
	() => {
		set = choose(plain.meshes);
	},
	(i) => {
		move(set, i);
		plain.scene.updateMatrixWorld();
	},
);
const threeAll = measure(
	9,
	() => {},
	(i) => {
		move(plain.meshes, i);
		plain.scene.updateMatrixWorld();
	},
);
frozen.scene.updateMatrixWorld();
frozen.scene.traverse((object) => {
	object.matrixAutoUpdate = false;
});
const frozenStill = measure(
	15,
	() => {},
	() => frozen.scene.updateMatrixWorld(),
);
const frozenMoved = measure(
	15,
	() => {
		set = choose(frozen.meshes);
	},
	(i) => {
		move(set, i);
		for (const object of set) object.updateMatrix();
		frozen.scene.updateMatrixWorld();
	},
);
const raycaster = new THREE.Raycaster();
const aim = (side) => {
	raycaster.ray.origin.set(-5, random() * side, random() * side);
	raycaster.ray.direction.set(1, random() - 0.5, random() - 0.5).normalize();
};
let hits = 0;
const threeRay = measure(
	15,
	() => aim(plain.side),
	() => {
		hits += raycaster.intersectObject(plain.scene).length;
	},
);

// three-mesh-bvh accelerates the triangles of each object; the walk over the objects remains.
geometry.boundsTree = computeBoundsTree.call(geometry);
for (const mesh of plain.meshes) mesh.raycast = acceleratedRaycast;
const bvhRay = measure(
	15,
	() => aim(plain.side),
	() => raycaster.intersectObject(plain.scene),
);

const start = performance.now();
const bridge = attach(bridged.scene);
line('attach', performance.now() - start);
const still = measure(
	200,
	() => {},
	() => bridge.update(),
);
line('nothing moved: three.js', threeStill);
line('nothing moved: three.js, matrixAutoUpdate = false', frozenStill);
line('nothing moved: bridge', still, `${times(threeStill, still)}, ${times(frozenStill, still)}`);
const bridgeMoved = measure(
	60,
	() => {
		set = choose(bridged.meshes);
	},
	(i) => {
		move(set, i);
		bridge.update();
	},
);
line('1 % moved by three properties: three.js', threeMoved);
line('1 % moved by three properties: matrixAutoUpdate = false', frozenMoved);
line(
	'1 % moved by three properties: bridge',
	bridgeMoved,
	`${times(threeMoved, bridgeMoved)}, ${times(frozenMoved, bridgeMoved)}`,
);
let first = 0;
const neighbours = measure(
	60,
	() => {
		first = Math.floor(random() * (bridged.meshes.length - moved));
	},
	(i) => {
		move(bridged.meshes.slice(first, first + moved), i);
		bridge.update();
	},
);
line('1 % moved, neighbours: bridge', neighbours, times(threeMoved, neighbours));
let selected = [];
const byPleach = measure(
	60,
	() => {
		selected = choose(bridged.meshes).map((mesh) => bridge.nodeOf(mesh));
	},
	(i) => {
		for (const node of selected) node.position.x = (i % 7) + 0.25;
		bridge.update();
	},
);
line('1 % moved by the setters of pleach: bridge', byPleach, times(threeMoved, byPleach));
const pleachOnly = measure(
	60,
	() => {
		selected = choose(bridged.meshes).map((mesh) => bridge.nodeOf(mesh));
	},
	(i) => {
		for (const node of selected) node.position.x = (i % 7) + 0.75;
		bridge.scene.update();
	},
);
bridge.update();
line('1 % moved by the setters of pleach, without three.js', pleachOnly, times(threeMoved, pleachOnly));
const all = measure(
	9,
	() => {},
	(i) => {
		move(bridged.meshes, i);
		bridge.update();
	},
);
line('all moved by three properties: three.js', threeAll);
line('all moved by three properties: bridge', all, times(threeAll, all));
const rootMoved = measure(
	9,
	() => {},
	(i) => {
		bridged.scene.position.x = i % 5;
		bridge.update();
	},
);
line('the root moved: bridge', rootMoved, times(threeAll, rootMoved));
bridged.scene.position.x = 0;
const target = new THREE.Vector3();
const fresh = measure(
	60,
	() => {},
	(i) => {
		const mesh = bridged.meshes[(i * 97) % bridged.meshes.length];
		mesh.position.x = i;
		mesh.getWorldPosition(target);
	},
);
line('a write and getWorldPosition', fresh);
aim(bridged.side);
const firstRay = performance.now();
bridge.raycast(raycaster);
line('the first ray (bounds, index)', performance.now() - firstRay);
let found = 0;
const bridgeRay = measure(
	300,
	() => aim(bridged.side),
	() => {
		found += bridge.raycast(raycaster).length;
	},
);
line('raycast: three.js', threeRay, `${(hits / 20).toFixed(1)} hits per ray`);
line('raycast: three.js with three-mesh-bvh', bvhRay);
line(
	'raycast: bridge',
	bridgeRay,
	`${times(threeRay, bridgeRay)}, ${times(bvhRay, bridgeRay)}, ${(found / 340).toFixed(1)} hits per ray`,
);
const camera = new THREE.PerspectiveCamera(60, 1.5, 0.1, 30);
const culled = measure(
	30,
	() => {
		camera.position.set(random() * bridged.side, random() * bridged.side, random() * bridged.side);
	},
	() => bridge.cull(camera),
);
line('cull: bridge', culled, `${bridge.cull(camera).length} visible`);
const disposing = performance.now();
bridge.dispose();
line('dispose', performance.now() - disposing);
