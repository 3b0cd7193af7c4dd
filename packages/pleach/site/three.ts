/** Runs a scene of three.js twice, with three.js alone and with pleach, and shows what a frame of each costs. */
import { type Intersection, type Material, Mesh, type Object3D, SkinnedMesh, Vector2, WebGLRenderer } from 'three';
import { Clock, element, everyFrame, show, start } from './page.js';
import { editing } from './three/editing.js';
import { hierarchy } from './three/hierarchy.js';
import { instancing } from './three/instancing.js';
import { keyframes } from './three/keyframes.js';
import { morphing } from './three/morphing.js';
import { raycasting } from './three/raycasting.js';
import { skinning } from './three/skinning.js';
import type { Play, Player, Stage } from './three/stage.js';
import { play as playAlone } from './three/three-alone.js';
import { play as playWithPleach } from './three/three-and-pleach.js';
import { viewports } from './three/viewports.js';

interface Example {
	readonly name: string;
	readonly about: string;
	readonly create: () => Stage[];
}

const examples: Record<string, Example> = {
	hierarchy: {
		name: 'Hierarchy',
		about: 'Towers of floors, rooms and furniture: few objects of a large tree move.',
		create: hierarchy,
	},
	keyframes: {
		name: 'Keyframe animation',
		about: 'Windmills with a mixer each. Everything that can move does so in each frame.',
		create: keyframes,
	},
	skinning: {
		name: 'Skinning',
		about: 'Figures with skeletons that walk in circles, posed by clips.',
		create: skinning,
	},
	instancing: {
		name: 'Instancing',
		about: 'Instanced meshes in groups that turn. A ray in each frame finds the instance below the pointer.',
		create: instancing,
	},
	raycasting: {
		name: 'Raycasting',
		about: 'Five thousand boxes, and a ray in each frame. Move the pointer over a picture.',
		create: raycasting,
	},
	morphing: {
		name: 'Morph targets',
		about: 'Boxes that become spheres and twist. All of them turn.',
		create: morphing,
	},
	viewports: {
		name: 'Multiple scenes',
		about: 'Four scenes on one canvas, each with a camera and a bridge of its own.',
		create: viewports,
	},
	editing: {
		name: 'Editing and levels of detail',
		about: 'Crates move from cart to cart, boards come, go and are hidden, and trees have three levels of detail.',
		create: editing,
	},
};

const parts = ['frame', 'animate', 'matrices', 'draw', 'rays'] as const;
type Part = (typeof parts)[number];
type Times = Record<Part, number>;
const labels: Record<Part, string> = {
	frame: 'Whole frame',
	animate: 'Animate: writes to objects',
	matrices: 'World matrices',
	draw: 'Draw',
	rays: 'Rays',
};

const FRAMES_PER_SAMPLE = 4;
const SAMPLES = 15;
/** The time in seconds at which both are compared. */
const COMPARED_TIME = 2.5;

const zero = (): Times => ({ frame: 0, animate: 0, matrices: 0, draw: 0, rays: 0 });

/** One of the two programs, with its canvas and its own copy of the scene. */
class Side {
	stages: Stage[] = [];
	frames = 0;
	private players: Player[] = [];
	private samples: Times[] = [];
	private sum = zero();
	private readonly canvas: HTMLCanvasElement;
	private readonly renderer: WebGLRenderer;
	private matricesDone = 0;

	constructor(
		private readonly name: string,
		private readonly play: Play,
	) {
		this.canvas = element<HTMLCanvasElement>(`canvas-${name}`);
		this.renderer = new WebGLRenderer({ canvas: this.canvas });
		this.canvas.addEventListener('pointermove', (event) => {
			const { width, height } = this.canvas.getBoundingClientRect();
			pointed = new Vector2((event.offsetX / width) * 2 - 1, 1 - (event.offsetY / height) * 2);
		});
		this.canvas.addEventListener('pointerleave', () => {
			pointed = null;
		});
	}

	open(stages: Stage[]): void {
		for (const { scene } of this.stages) scene.traverse(free);
		this.stages = stages;
		this.players = stages.map((stage) => this.play(stage, this.renderer));
		for (const { scene } of stages) {
			// Called by `render` when it has updated the matrices.
			scene.onBeforeRender = () => {
				this.matricesDone = performance.now();
			};
		}
		this.reset();
	}

	reset(): void {
		this.frames = 0;
		this.samples = [];
		this.sum = zero();
	}

	showIf(isShown: boolean): void {
		element(`figure-${this.name}`).hidden = !isShown;
		if (!isShown) this.reset();
	}

	/** Runs a frame, and adds its times. */
	frame(time: number, pointer: Vector2): void {
		const { clientWidth, clientHeight } = this.canvas;
		if (this.canvas.width !== clientWidth || this.canvas.height !== clientHeight) {
			this.renderer.setSize(clientWidth, clientHeight, false);
		}
		const { sum, stages, players } = this;
		const began = performance.now();
		for (const stage of stages) stage.animate(time);
		let now = performance.now();
		sum.animate += now - began;
		for (const player of players) {
			player.draw();
			sum.matrices += this.matricesDone - now;
			const done = performance.now();
			sum.draw += done - this.matricesDone;
			now = done;
		}
		stages.forEach((stage, i) => {
			stage.select?.(players[i]?.cast(pointer)[0]);
		});
		const end = performance.now();
		sum.rays += end - now;
		sum.frame += end - began;
		this.frames += 1;
		if (this.frames % FRAMES_PER_SAMPLE > 0) return;
		for (const part of parts) sum[part] /= FRAMES_PER_SAMPLE;
		// The first frames compile shaders and upload geometries.
		if (this.frames > FRAMES_PER_SAMPLE) this.samples.push(sum);
		if (this.samples.length > SAMPLES) this.samples.shift();
		this.sum = zero();
	}

	/** Returns the median of a part in milliseconds; `null` before the first sample. */
	median(part: Part): number | null {
		const sorted = this.samples.map((each) => each[part]).sort((a, b) => a - b);
		return sorted[Math.floor(sorted.length / 2)] ?? null;
	}

	/** Moves everything to a time, and updates the matrices. */
	moveTo(time: number): void {
		for (const { scene, camera, animate } of this.stages) {
			animate(time);
			scene.updateMatrixWorld();
			camera.updateMatrixWorld();
		}
	}

	/** Returns all objects in the order in which they were created. */
	get objects(): Object3D[] {
		const objects: Object3D[] = [];
		for (const { scene } of this.stages) scene.traverse((object) => objects.push(object));
		return objects.sort((a, b) => a.id - b.id);
	}

	/** Returns the first hit of each stage that casts rays, with the index of its object. */
	cast(pointer: Vector2, indices: ReadonlyMap<Object3D, number>): (readonly number[])[] {
		const castingPlayers = this.players.filter((_, i) => this.stages[i]?.select !== undefined);
		return castingPlayers.map((player) => {
			const hits: Intersection[] = player.cast(pointer);
			const first = hits[0];
			if (first === undefined) return [];
			return [indices.get(first.object) ?? -1, first.instanceId ?? -1, hits.length, first.distance];
		});
	}
}

/** Where the user points; `null` while the pointer is elsewhere. */
let pointed: Vector2 | null = null;

/** Frees what an object has on the graphics card. */
function free(object: Object3D): void {
	if (!(object instanceof Mesh)) return;
	object.geometry.dispose();
	for (const material of [object.material].flat() as Material[]) material.dispose();
	if (object instanceof SkinnedMesh) object.skeleton.dispose();
	if ('dispose' in object && typeof object.dispose === 'function') object.dispose();
}

/** Compares the matrices, and the hits of a grid of rays, at one time; shows the result. */
function compare(alone: Side, pleach: Side): void {
	alone.moveTo(COMPARED_TIME);
	pleach.moveTo(COMPARED_TIME);
	const [first, second] = [alone.objects, pleach.objects];
	let difference = first.length === second.length ? 0 : Number.POSITIVE_INFINITY;
	first.forEach((object, i) => {
		object.matrixWorld.elements.forEach((value, k) => {
			const other = second[i]?.matrixWorld.elements[k] ?? Number.NaN;
			// NaN is a difference.
			if (!(Math.abs(value - other) <= difference)) difference = Math.abs(value - other);
		});
	});
	const [firstIndices, secondIndices] = [first, second].map((objects) => new Map(objects.map((each, i) => [each, i])));
	let [rays, hits, equal] = [0, 0, 0];
	for (let i = 0; i < 49; i++) {
		const pointer = new Vector2(((i % 7) - 3) / 3.5, (Math.floor(i / 7) - 3) / 3.5);
		const found = alone.cast(pointer, firstIndices as Map<Object3D, number>);
		const others = pleach.cast(pointer, secondIndices as Map<Object3D, number>);
		found.forEach((hit, k) => {
			const other = others[k] ?? [];
			rays += 1;
			if (hit.length > 0) hits += 1;
			if (hit.length === other.length && hit.every((value, j) => Math.abs(value - (other[j] ?? 0)) < 1e-3)) equal += 1;
		});
	}
	const target = element('comparison');
	Object.assign(target.dataset, { objects: first.length, difference, rays, hits, equal });
	const about = `${first.length.toLocaleString('en')} objects: world matrices differ by at most ${difference.toExponential(1)}.`;
	target.textContent =
		rays === 0 ? about : `${about} ${equal} of ${rays} rays, ${hits} of which hit, have equal results.`;
}

function createRows(): void {
	for (const part of parts) {
		const row = document.createElement('tr');
		row.innerHTML = `<td>${labels[part]}</td><td id="${part}-alone" class="number"></td><td id="${part}-pleach" class="number"></td>`;
		element('parts').append(row);
	}
}

function showTimes(name: string, side: Side): void {
	for (const part of parts) {
		const median = side.median(part);
		const text = median === null ? '–' : median.toFixed(2);
		show(`${part}-${name}`, text);
		if (part === 'frame') show(`cost-${name}`, median === null ? '–' : `${text} ms`);
	}
}

void start(() => {
	const select = element<HTMLSelectElement>('scene');
	for (const [id, { name }] of Object.entries(examples)) select.add(new Option(name, id));
	const way = element<HTMLSelectElement>('way');
	const alone = new Side('alone', playAlone);
	const pleach = new Side('pleach', playWithPleach);
	const clock = new Clock('pause');
	createRows();
	let time = 0;
	const showAll = () => {
		showTimes('alone', alone);
		showTimes('pleach', pleach);
		show('frames', Math.max(alone.frames, pleach.frames));
	};
	const open = () => {
		const example = examples[select.value] as Example;
		show('about', example.about);
		alone.open(example.create());
		pleach.open(example.create());
		time = 0;
		compare(alone, pleach);
		showAll();
	};
	const showWays = () => {
		alone.showIf(way.value !== 'pleach');
		pleach.showIf(way.value !== 'alone');
		showAll();
	};
	select.addEventListener('change', open);
	way.addEventListener('change', showWays);
	element('compare').addEventListener('click', () => compare(alone, pleach));
	open();
	let count = 0;
	everyFrame((seconds) => {
		time += clock.advance(seconds);
		// The pointer moves by itself until there is one.
		const pointer = pointed ?? new Vector2(0.6 * Math.sin(time * 0.9), 0.6 * Math.cos(time * 0.7));
		count += 1;
		// In turns, and each of them first in every other frame.
		for (const side of count % 2 === 0 ? [alone, pleach] : [pleach, alone]) {
			if (way.value === 'both' || way.value === (side === alone ? 'alone' : 'pleach')) side.frame(time, pointer);
		}
		if (count % FRAMES_PER_SAMPLE === 0) showAll();
	});
});
