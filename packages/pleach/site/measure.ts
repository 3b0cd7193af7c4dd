/** Measures pleach and three.js side by side: the same work, in turns, medians of the rounds. In pages and in node. */
import {
	box,
	createGeometry,
	createMaterial,
	createScene,
	degrees,
	loadGltf,
	type Mesh,
	Scene,
	type SceneNode,
	saveGltf,
	sphere,
} from 'pleach';
import { attach } from 'pleach/three';
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { acceleratedRaycast, MeshBVH } from 'three-mesh-bvh';

/** Milliseconds per call, and what they are compared with. */
export interface Result {
	readonly id: string;
	readonly workload: string;
	readonly pleach: number;
	readonly three: number | null;
	/** What the second time is of. */
	readonly peer: string;
	/** At least this ratio, or at most so many milliseconds. */
	readonly must?: { readonly ratio?: number; readonly ms?: number };
	/** Facts about the run, such as how many results agreed. */
	readonly note?: string;
}

/** How much is measured. */
export interface Plan {
	/** Nodes of the large scenes. */
	readonly nodes: number;
	readonly rounds: number;
	/** Milliseconds that a sample takes at least: clocks of browsers are coarse. */
	readonly sample: number;
	/** Called between workloads, so that a page can show what was measured. */
	readonly onResult?: (result: Result) => void;
	/** Which workloads; all by default. */
	readonly only?: (id: string) => boolean;
}

/** Numbers from 0 to 1, the same ones in each run. */
export function generator(state: number): () => number {
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	const upper = sorted[middle] as number;
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** Lets a page draw, and the collector run, between measurements. */
function pause(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Measures functions in turns. Each sample repeats its function until it takes long enough. */
async function turns(plan: Plan, candidates: readonly (() => void)[]): Promise<number[]> {
	const repeats = candidates.map((run) => {
		run();
		let count = 1;
		for (;;) {
			const began = performance.now();
			for (let i = 0; i < count; i++) run();
			const took = performance.now() - began;
			if (took >= plan.sample) return count;
			count = Math.ceil(count * Math.min(16, Math.max(2, (1.2 * plan.sample) / Math.max(took, 0.01))));
		}
	});
	const samples = candidates.map((): number[] => []);
	for (let round = 0; round < plan.rounds; round++) {
		for (const [which, run] of candidates.entries()) {
			const count = repeats[which] as number;
			const began = performance.now();
			for (let i = 0; i < count; i++) run();
			(samples[which] as number[]).push((performance.now() - began) / count);
		}
		await pause();
	}
	return samples.map(median);
}

/** Groups of 99 nodes each below the root, as in scenes with areas. */
const AREA = 100;

function transforms(nodes: number): { parents: Int32Array; trs: Float32Array } {
	const random = generator(1);
	const parents = new Int32Array(nodes);
	const trs = new Float32Array(nodes * 10);
	const q = new THREE.Quaternion();
	for (let i = 0; i < nodes; i++) {
		parents[i] = i % AREA === 0 ? -1 : i - (i % AREA);
		q.set(random() - 0.5, random() - 0.5, random() - 0.5, random() + 0.2).normalize();
		trs.set([random() * 100, random() * 100, random() * 100, q.x, q.y, q.z, q.w, 1, 1, 1], i * 10);
	}
	return { parents, trs };
}

function threeTree({ parents, trs }: ReturnType<typeof transforms>): { root: THREE.Scene; objects: THREE.Object3D[] } {
	const root = new THREE.Scene();
	const objects: THREE.Object3D[] = [];
	for (const [i, parent] of parents.entries()) {
		const object = new THREE.Object3D();
		object.position.fromArray(trs, i * 10);
		object.quaternion.fromArray(trs, i * 10 + 3);
		objects.push(object);
		(objects[parent] ?? root).add(object);
	}
	root.updateMatrixWorld();
	return { root, objects };
}

/** One in a hundred, at random, without the groups. */
function moving(nodes: number, seed: number): number[] {
	const random = generator(seed);
	const chosen = new Set<number>();
	while (chosen.size < nodes / 100) {
		const i = Math.floor(random() * nodes);
		if (i % AREA !== 0) chosen.add(i);
	}
	return [...chosen];
}

/** How many sets of nodes take turns. */
const SETS = 50;

async function updates(plan: Plan, report: (result: Result) => void): Promise<void> {
	const tree = transforms(plan.nodes);
	// Other nodes move in each call: those of the last one would be in the caches of the processor.
	const sets = Array.from({ length: SETS }, (_, set) => moving(plan.nodes, set));
	const chosen = sets[0] as number[];
	const { root, objects } = threeTree(tree);
	using graph = new Scene({ up: 'y' });
	const ids = graph.addAll(tree.parents, tree.trs);
	graph.update();
	graph.clearChanges();
	let step = 0;

	const nodeSets = sets.map((set) => set.map((i) => graph.node(ids[i]) as SceneNode));
	const objectSets = sets.map((set) => set.map((i) => objects[i] as THREE.Object3D));
	const movePleach = () => {
		step += 1;
		const nodes = nodeSets[step % SETS] as SceneNode[];
		for (let i = 0; i < nodes.length; i++) (nodes[i] as SceneNode).position.set(step, i, 0);
		graph.update();
		graph.clearChanges();
	};
	const moveThree = () => {
		step += 1;
		const moved = objectSets[step % SETS] as THREE.Object3D[];
		for (let i = 0; i < moved.length; i++) (moved[i] as THREE.Object3D).position.set(step, i, 0);
		root.updateMatrixWorld();
	};
	const percent = `${plan.nodes.toLocaleString('en')} nodes, 1 % moved`;
	let [pleach, three] = (await turns(plan, [movePleach, moveThree])) as [number, number];
	report({
		id: 'setters',
		workload: `${percent} by pleach's setters`,
		pleach,
		three,
		peer: 'three.js',
		must: { ratio: 30 },
	});

	[pleach, three] = (await turns(plan, [() => graph.update(), () => root.updateMatrixWorld()])) as [number, number];
	const still = `${plan.nodes.toLocaleString('en')} nodes, nothing moved`;
	report({ id: 'nothing', workload: still, pleach, three, peer: 'three.js', must: { ms: 0.02 } });

	const all = () => {
		step += 1;
		const values = graph.scratch(tree.trs.length);
		values.set(tree.trs);
		for (let i = 0; i < values.length; i += 10) values[i] = step;
		graph.setLocals(ids, values);
		graph.update();
		graph.clearChanges();
	};
	const allThree = () => {
		step += 1;
		const { trs } = tree;
		for (let i = 0; i < objects.length; i++) {
			const object = objects[i] as THREE.Object3D;
			object.position.set(step, trs[i * 10 + 1] as number, trs[i * 10 + 2] as number);
			object.quaternion.fromArray(trs, i * 10 + 3);
		}
		root.updateMatrixWorld();
	};
	[pleach, three] = (await turns(plan, [all, allThree])) as [number, number];
	const each = `${plan.nodes.toLocaleString('en')} nodes, all moved: setLocals and update`;
	report({ id: 'all', workload: each, pleach, three, peer: 'three.js', must: { ratio: 4 } });

	// The results must be the same: what was last written to both.
	step = 0;
	all();
	step = 0;
	allThree();
	const matrices = graph.worldMatrices;
	for (const i of chosen) {
		const { elements } = (objects[i] as THREE.Object3D).matrixWorld;
		const slot = (ids[i] as number) >>> 0;
		for (let k = 0; k < 16; k++) {
			const difference = Math.abs((elements[k] as number) - (matrices[slot * 16 + k] as number));
			if (!(difference < 1e-3)) throw new Error(`world matrix of node ${i} differs by ${difference}`);
		}
	}
}

async function bridge(plan: Plan, report: (result: Result) => void): Promise<void> {
	const tree = transforms(plan.nodes);
	const chosen = moving(plan.nodes, 0);
	const plain = threeTree(tree);
	const tuned = threeTree(tree);
	const adopted = threeTree(tree);
	const isMoving = new Set(chosen);
	for (const [i, object] of tuned.objects.entries()) object.matrixAutoUpdate = isMoving.has(i);
	const link = attach(adopted.root);
	let step = 0;
	const mover = ({ root, objects }: { root: THREE.Scene; objects: THREE.Object3D[] }) => {
		const moved = chosen.map((i) => objects[i] as THREE.Object3D);
		return () => {
			step += 1;
			for (let i = 0; i < moved.length; i++) (moved[i] as THREE.Object3D).position.set(step, i, 0);
			root.updateMatrixWorld();
		};
	};
	const [pleach, three, still] = (await turns(plan, [mover(adopted), mover(plain), mover(tuned)])) as [
		number,
		number,
		number,
	];
	const workload = `${plan.nodes.toLocaleString('en')} nodes, 1 % moved by three's own properties, through pleach/three`;
	report({ id: 'bridge', workload, pleach, three, peer: 'three.js', must: { ratio: 8 } });
	report({
		id: 'bridge-tuned',
		workload: 'the same',
		pleach,
		three: still,
		peer: 'three.js, matrixAutoUpdate = false for what stands still',
		must: { ratio: 2 },
	});
	link.dispose();
}

async function rays(plan: Plan, report: (result: Result) => void): Promise<void> {
	const random = generator(3);
	const side = Math.cbrt(plan.nodes) * 4;
	using scene = createScene({ up: 'y', capacity: plan.nodes });
	using material = createMaterial();
	const ball = new THREE.SphereGeometry(1, 16, 12);
	const positions = ball.getAttribute('position').array as Float32Array;
	using geometry = createGeometry({ positions, indices: ball.getIndex()?.array as Uint16Array });
	const root = new THREE.Scene();
	// pleach hits both sides of triangles.
	const threeMaterial = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide });
	const meshes: THREE.Mesh[] = [];
	for (let i = 0; i < plan.nodes; i++) {
		const position: [number, number, number] = [random() * side, random() * side, random() * side];
		scene.createMesh({ geometry, material, position });
		const mesh = new THREE.Mesh(ball, threeMaterial);
		mesh.position.fromArray(position);
		meshes.push(mesh);
		root.add(mesh);
	}
	root.updateMatrixWorld();
	scene.update();

	const count = 64;
	const casts: THREE.Ray[] = [];
	const packed = new Float32Array(count * 7);
	for (let i = 0; i < count; i++) {
		const origin = new THREE.Vector3(random(), random(), random()).multiplyScalar(side);
		const direction = new THREE.Vector3(random() - 0.5, random() - 0.5, random() - 0.5).normalize();
		// Both get what single precision keeps.
		packed.set([...origin, ...direction, 3.4e38], i * 7);
		origin.fromArray(packed, i * 7);
		direction.fromArray(packed, i * 7 + 3);
		casts.push(new THREE.Ray(origin, direction));
	}
	const raycaster = new THREE.Raycaster();
	let at = 0;
	const next = () => {
		at = (at + 1) % count;
		raycaster.ray.copy(casts[at] as THREE.Ray);
		return casts[at] as THREE.Ray;
	};
	const single = () => {
		const { origin, direction } = next();
		return scene.pick({ origin, direction });
	};
	const many = () => scene.pickMany(packed);
	const own = THREE.Mesh.prototype.raycast;
	const throughThree = () => {
		next();
		return raycaster.intersectObjects(meshes, false)[0];
	};
	const tree = new MeshBVH(ball);
	raycaster.firstHitOnly = true;
	const throughBvh = () => {
		next();
		ball.boundsTree = tree;
		THREE.Mesh.prototype.raycast = sphereThenBvh;
		try {
			return raycaster.intersectObjects(meshes, false)[0];
		} finally {
			THREE.Mesh.prototype.raycast = own;
			delete ball.boundsTree;
		}
	};
	const around = new THREE.Sphere();
	/** As three.js does it: objects whose bounding sphere is missed cost little. */
	function sphereThenBvh(this: THREE.Mesh, caster: THREE.Raycaster, results: THREE.Intersection[]): void {
		around.copy(ball.boundingSphere as THREE.Sphere).applyMatrix4(this.matrixWorld);
		if (caster.ray.intersectsSphere(around)) acceleratedRaycast.call(this, caster, results);
	}
	ball.computeBoundingSphere();
	let began = performance.now();
	single();
	const firstPleach = performance.now() - began;
	began = performance.now();
	throughThree();
	const firstThree = performance.now() - began;
	let hits = 0;
	let agreed = 0;
	for (let i = 0; i < 16; i++) {
		const mine = single();
		raycaster.ray.copy(casts[at] as THREE.Ray);
		const theirs = raycaster.intersectObjects(meshes, false)[0];
		const a = mine?.distance ?? Infinity;
		const b = theirs?.distance ?? Infinity;
		if (a !== Infinity) hits += 1;
		if (a === b || Math.abs(a - b) < 1e-3 * Math.max(1, b)) agreed += 1;
	}
	if (agreed < 15) throw new Error(`only ${agreed} of 16 rays hit the same as in three.js`);
	// The first rays test all bounds in turn; the tree is built when rays are frequent.
	for (let i = 0; i < 2000; i++) single();
	const note = `${hits} of 16 compared rays hit; ${agreed} of 16 results agree`;
	const [pleach, three, byBvh, batch] = (await turns(plan, [single, throughThree, throughBvh, many])) as [
		number,
		number,
		number,
		number,
	];
	const objects = `${plan.nodes.toLocaleString('en')} objects of ${(positions.length / 3).toLocaleString('en')} vertices`;
	report({
		id: 'ray',
		workload: `a ray into ${objects}: pick`,
		pleach,
		three,
		peer: "three's Raycaster",
		must: { ratio: 20 },
		note,
	});
	report({
		id: 'ray-bvh',
		workload: 'the same',
		pleach,
		three: byBvh,
		peer: 'a loop over the objects with bounding spheres and three-mesh-bvh',
		must: { ratio: 1 },
	});
	const first = 'the first ray after the scene was built';
	report({ id: 'ray-first', workload: first, pleach: firstPleach, three: firstThree, peer: "three's Raycaster" });
	report({
		id: 'rays',
		workload: `the same, per ray of pickMany(${count})`,
		pleach: batch / count,
		three,
		peer: "three's Raycaster",
	});
}

async function budgets(plan: Plan, report: (result: Result) => void): Promise<void> {
	const count = 2000;
	const tree = transforms(count);
	using scene = createScene({ up: 'y' });
	using material = createMaterial();
	using geometry = box();
	const { root, objects } = threeTree(tree);
	const nodes: Mesh[] = [];
	const threeBox = new THREE.BoxGeometry();
	for (let i = 0; i < count; i++) {
		const at = i * 10;
		const parent = nodes[tree.parents[i] as number] ?? scene.root;
		const position = tree.trs.subarray(at, at + 3);
		nodes.push(scene.createMesh({ geometry, material, parent, position, rotation: tree.trs.subarray(at + 3, at + 7) }));
	}
	const isGroup = (i: number) => i % AREA === 0;
	const moved = nodes
		.map((_, i) => i)
		.filter((i) => !isGroup(i) && i % 2 === 1)
		.slice(0, 1000);
	let step = 0;
	const dirty = () => {
		step += 1;
		for (const i of moved) (nodes[i] as Mesh).position.set(step, i, 0);
		scene.update();
		scene.clearChanges();
	};
	const dirtyThree = () => {
		step += 1;
		for (const i of moved) (objects[i] as THREE.Object3D).position.set(step, i, 0);
		root.updateMatrixWorld();
	};
	let [pleach, three] = (await turns(plan, [dirty, dirtyThree])) as [number, number];
	const workload = `${moved.length} of ${count} nodes dirty: setters and update`;
	report({ id: 'dirty', workload, pleach, three, peer: 'three.js', must: { ms: 0.3 } });

	scene.update();
	root.updateMatrixWorld();
	const camera = scene.createCamera({
		position: [50, 50, 180],
		fov: degrees(50),
		near: 0.1,
		far: 200,
		clip: 'negative-one-to-one',
	});
	camera.lookAt([50, 50, 50]);
	const { viewProjectionMatrix } = scene.view(camera, 1.5);
	const frustum = new THREE.Frustum();
	const matrix = new THREE.Matrix4().fromArray(viewProjectionMatrix);
	const meshes = objects.map((object) => {
		const mesh = new THREE.Mesh(threeBox);
		mesh.matrixWorld.copy(object.matrixWorld);
		return mesh;
	});
	threeBox.computeBoundingSphere();
	let seen = 0;
	const cull = () => {
		seen = scene.cull(viewProjectionMatrix, { clip: 'negative-one-to-one' }).length;
	};
	const visible: THREE.Mesh[] = [];
	const cullThree = () => {
		frustum.setFromProjectionMatrix(matrix);
		visible.length = 0;
		for (const mesh of meshes) if (frustum.intersectsObject(mesh)) visible.push(mesh);
	};
	[pleach, three] = (await turns(plan, [cull, cullThree])) as [number, number];
	const note = `${seen} in view by boxes, ${visible.length} by three's spheres`;
	report({ id: 'cull', workload: `${count} nodes culled`, pleach, three, peer: 'three.js', must: { ms: 0.2 }, note });
}

/** Creates a glb with many nodes, by pleach itself. */
export function manyNodes(nodes: number): Uint8Array<ArrayBuffer> {
	const random = generator(4);
	using scene = createScene({ up: 'y', capacity: nodes });
	const materials = [
		createMaterial({ name: 'wood', color: [0.6, 0.4, 0.2] }),
		createMaterial({ name: 'steel', metallic: 1 }),
	];
	const geometries = [box(), sphere({ segments: 12, rings: 8 })];
	let area = scene.root;
	for (let i = 0; i < nodes; i++) {
		const position: [number, number, number] = [random() * 100, random() * 100, random() * 100];
		const rotation: [number, number, number, number] = [random() - 0.5, random() - 0.5, random() - 0.5, 1];
		if (i % AREA === 0) {
			area = scene.createGroup({ name: `area ${i / AREA}`, position });
			continue;
		}
		scene.createMesh({
			name: `crate number ${i}`,
			parent: area,
			geometry: geometries[i % 2]!,
			material: materials[i % 2]!,
			position,
			rotation,
			scale: [0.5 + random(), 0.5 + random(), 0.5 + random()],
		});
	}
	const { bytes } = saveGltf(scene);
	for (const asset of [...materials, ...geometries]) asset.dispose();
	return bytes as Uint8Array<ArrayBuffer>;
}

async function files(plan: Plan, report: (result: Result) => void): Promise<void> {
	const bytes = manyNodes(plan.nodes);
	const loader = new GLTFLoader();
	const times: [number[], number[]] = [[], []];
	let nodes = 0;
	let objects = 0;
	for (let round = 0; round < Math.min(3, plan.rounds); round++) {
		let began = performance.now();
		const document = await loadGltf(bytes, { up: 'y', trust: true });
		times[0].push(performance.now() - began);
		nodes = document.scene.nodeCount - 1;
		document.dispose();
		await pause();
		began = performance.now();
		const { scene } = await loader.parseAsync(bytes.buffer, '');
		times[1].push(performance.now() - began);
		objects = 0;
		scene.traverse(() => {
			objects += 1;
		});
		await pause();
	}
	if (nodes !== plan.nodes) throw new Error(`${nodes} nodes were loaded, not ${plan.nodes}`);
	const size = (bytes.length / 1e6).toFixed(1);
	report({
		id: 'load',
		workload: `load a glb of ${size} MB with ${plan.nodes.toLocaleString('en')} nodes`,
		pleach: median(times[0]),
		three: median(times[1]),
		peer: "three's GLTFLoader",
		must: { ratio: 10 },
		note: `${objects - 1} objects in three.js`,
	});
}

const WORKLOADS = { updates, bridge, rays, budgets, files };

/** Measures, and returns the results. */
export async function measure(plan: Plan): Promise<Result[]> {
	const results: Result[] = [];
	const report = (result: Result) => {
		results.push(result);
		plan.onResult?.(result);
	};
	for (const [id, run] of Object.entries(WORKLOADS)) {
		if (plan.only?.(id) === false) continue;
		await pause();
		await run(plan, report);
	}
	return results;
}

/** Returns `true` if a result is as good as it must be, or `null` if nothing was demanded. */
export function isMet({ pleach, three, must }: Result): boolean | null {
	if (must === undefined) return null;
	if (must.ratio !== undefined) return three !== null && three / pleach >= must.ratio;
	return pleach <= (must.ms ?? 0);
}
