/**
 * Clips, and mixers that play them on the nodes of a scene.
 */
import { toFloats, toList, toObject, toText } from './arguments.js';
import { PleachError } from './errors.js';
import type { Graph } from './graph.js';
import type { SceneNode } from './node.js';
import { Owned } from './owned.js';
import { checked, glue, guarded, raw, throwFault } from './runtime.js';

/** What a channel of a clip moves. */
export type AnimatedProperty = 'position' | 'rotation' | 'scale' | 'weights';
const PROPERTIES: readonly AnimatedProperty[] = ['position', 'rotation', 'scale', 'weights'];
/** What is between two keys. */
export type Interpolation = 'step' | 'linear' | 'cubic-spline';
const INTERPOLATIONS: readonly Interpolation[] = ['step', 'linear', 'cubic-spline'];

/** The keys of one property of one node. */
export interface ClipChannel {
	readonly node: SceneNode;
	readonly property: AnimatedProperty;
	/** Seconds, ascending. */
	readonly times: Float32Array | readonly number[];
	/** 3 numbers per key, 4 (x, y, z, w) for rotations, one per morph target for weights; three times as many for cubic splines. */
	readonly values: Float32Array | readonly number[];
	/** 'linear' by default. */
	readonly interpolation?: Interpolation;
}

/**
 * Keys that are bound to the nodes of a scene.
 *
 * @example
 * ```ts
 * const lid = scene.createGroup({ name: 'lid' });
 * const open = scene.createClip('open', [
 *   { node: lid, property: 'position', times: [0, 1], values: [0, 0, 0, 0, 0, 2] },
 * ]);
 * assert.deepEqual([open.name, open.duration, open.nodes[0]], ['open', 1, lid]);
 * ```
 */
export class Clip extends Owned {
	/** @internal */
	constructor(
		/** @internal */
		readonly scene: Graph,
		private readonly number: number,
	) {
		super();
		this.own(() => raw.clip_free(number));
	}

	/** @internal The number, which is another clip's after `dispose`. */
	get liveNumber(): number {
		this.check('clip');
		return this.number;
	}

	/** The name. */
	get name(): string {
		this.check('clip');
		return glue.clip_name(this.number);
	}

	/** The duration in seconds. */
	get duration(): number {
		this.check('clip');
		return checked(this.scene, raw.clip_duration(this.number));
	}

	/**
	 * Returns the clip for the copies of its nodes.
	 *
	 * @example
	 * ```ts
	 * const bird = scene.createGroup();
	 * const fly = scene.createClip('fly', [{ node: bird, property: 'position', times: [0], values: [0, 0, 5] }]);
	 * const copy = bird.clone();
	 * assert.equal(fly.remapped(copy.get).nodes[0], copy.root);
	 * ```
	 */
	remapped(copyOf: (node: SceneNode) => SceneNode | null): Clip {
		if (typeof copyOf !== 'function') throw new PleachError('wrong-type', 'a function from nodes to copies is needed');
		const copies = this.nodes.map((node) => (node === null ? null : copyOf(node)));
		const scene = copies.find((node) => node !== null)?.scene ?? this.scene;
		for (const node of copies) if (node !== null) scene.expectOwn(node);
		const ids = Float64Array.from(copies, (node) => node?.id ?? 0);
		return new Clip(scene, glue.clip_rebound(scene.world, this.number, ids));
	}

	/** The nodes that the clip moves; `null` for those that the scene does not have. */
	get nodes(): readonly (SceneNode | null)[] {
		this.check('clip');
		return Array.from(glue.clip_nodes(this.number), (id) => (id === 0 ? null : this.scene.wrap(id)));
	}
}

/** @internal */
export function createClip(scene: Graph, name: string, channels: readonly ClipChannel[]): Clip {
	const nodes = new Map<SceneNode, number>();
	const headers: number[] = [];
	toText(name, 'the name of a clip');
	for (const channel of toList(channels, 'the channels')) {
		const { node, property, interpolation = 'linear' } = toObject(channel, 'a channel');
		scene.expectOwn(node);
		if (!nodes.has(node)) nodes.set(node, nodes.size);
		const [what, how] = [PROPERTIES.indexOf(property), INTERPOLATIONS.indexOf(interpolation)];
		if (what < 0)
			throw new PleachError('out-of-range', `'${property}' is not animated: use one of ${PROPERTIES.join(', ')}`);
		if (how < 0) {
			throw new PleachError(
				'out-of-range',
				`'${interpolation}' is not an interpolation: use one of ${INTERPOLATIONS.join(', ')}`,
			);
		}
		headers.push(nodes.get(node) as number, what, how);
	}
	const ids = Float64Array.from(nodes.keys(), (node) => node.id);
	const times = channels.map((channel) => toFloats(channel.times, 'the times of a channel').slice());
	const values = channels.map((channel) => toFloats(channel.values, 'the values of a channel').slice());
	return new Clip(scene, glue.clip_new(scene.world, name, ids, Uint32Array.from(headers), times, values));
}

/** How a clip is played. */
export interface PlayOptions {
	/** `true` (default) forever, `false` once, or how many times. */
	loop?: boolean | number;
	/** 1 by default; negative plays backwards. */
	speed?: number;
	/** From 0 to 1. */
	weight?: number;
	/** Seconds until the layer has its full weight. */
	fadeIn?: number;
	/** Only this node and those below it are moved. */
	mask?: SceneNode;
	/** `true`: the difference to the clip's first key is added to other layers. */
	additive?: boolean;
	/** Layers of a greater priority are applied later. */
	priority?: number;
	/** The time to begin at, in seconds. */
	at?: number;
}

/**
 * A clip that a mixer plays. After it ended, its numbers are 0.
 *
 * @example
 * ```ts
 * const bird = scene.createGroup();
 * const fly = scene.createClip('fly', [{ node: bird, property: 'position', times: [0, 2], values: [0, 0, 0, 0, 0, 8] }]);
 * const mixer = scene.createMixer();
 * const layer = mixer.play(fly);
 * layer.time = 1;
 * layer.pause();
 * mixer.update(10);
 * assert.equal(bird.position.z, 4);
 * ```
 */
export class Layer {
	/** @internal */
	constructor(
		private readonly mixer: Mixer,
		private readonly number: number,
	) {}

	/** The time in the clip, in seconds. */
	get time(): number {
		return this.get(0);
	}
	set time(seconds: number) {
		this.set(0, seconds);
	}

	/** The speed; negative plays backwards. */
	get speed(): number {
		return this.get(1);
	}
	set speed(speed: number) {
		this.set(1, speed);
	}

	/** The weight, from 0 to 1, before fading. */
	get weight(): number {
		return this.get(2);
	}
	set weight(weight: number) {
		this.set(2, weight);
	}

	/** `true` after the last repetition, or after the layer faded out. */
	get finished(): boolean {
		return this.get(3) !== 0;
	}

	/** `true` unless paused or finished. */
	get playing(): boolean {
		return this.get(4) !== 0;
	}

	/** How far the layer is faded in, from 0 to 1. */
	get fadeLevel(): number {
		return this.get(5);
	}

	/** Stops the time; the pose stays. */
	pause(): void {
		this.set(3, 0);
	}

	/** Goes on, or starts again after the end. */
	resume(): void {
		this.set(4, 0);
	}

	/** Ends the layer at once. */
	stop(): void {
		this.set(5, 0);
	}

	/** Fades out in so many seconds, and ends the layer. */
	fadeOut(seconds: number): void {
		this.set(6, seconds);
	}

	private get(which: number): number {
		return checked(this.mixer.scene, raw.layer_number(this.mixer.liveNumber, this.number, which));
	}

	private set(which: number, value: number): void {
		if (raw.set_layer_number(this.mixer.liveNumber, this.number, which, value) !== 0) throwFault();
	}
}

/**
 * Plays clips on the nodes of a scene, blended by weight. A program calls `update` once per frame.
 *
 * @example
 * ```ts
 * const door = scene.createGroup();
 * const clip = scene.createClip('open', [{ node: door, property: 'position', times: [0, 2], values: [0, 0, 0, 4, 0, 0] }]);
 * const mixer = scene.createMixer();
 * const layer = mixer.play(clip, { loop: false });
 * mixer.update(1);
 * assert.equal(door.position.x, 2);
 * mixer.update(5);
 * assert.equal(layer.finished, true);
 * mixer.restore();
 * assert.equal(door.position.x, 0);
 * ```
 */
export class Mixer extends Owned {
	private readonly number: number;

	/** @internal */
	constructor(
		/** @internal */
		readonly scene: Graph,
	) {
		super();
		const number = raw.mixer_new();
		this.number = number;
		this.own(() => raw.mixer_free(number));
	}

	/** @internal The number, which is another mixer's after `dispose`. */
	get liveNumber(): number {
		this.check('mixer');
		return this.number;
	}

	/** Plays a clip. */
	play(clip: Clip, options: PlayOptions = {}): Layer {
		return this.start(clip, options, options?.fadeIn ?? 0, false);
	}

	/** Plays a clip while the others of its priority fade out. */
	fadeTo(clip: Clip, seconds: number, options: PlayOptions = {}): Layer {
		return this.start(clip, options, seconds, true);
	}

	private start(clip: Clip, options: PlayOptions, fade: number, replaces: boolean): Layer {
		this.check('mixer');
		if (!(clip instanceof Clip)) throw new PleachError('wrong-type', 'a clip is needed: `document.clip(name)`');
		if (clip.scene !== this.scene) {
			throw new PleachError(
				'foreign-node',
				`the clip '${clip.name}' is bound to nodes of another scene: use the clips that \`instantiate\` returns`,
			);
		}
		const {
			loop = true,
			speed = 1,
			weight = 1,
			mask,
			additive = false,
			priority = 0,
			at = 0,
		} = toObject(options, 'the options');
		if (mask !== undefined) this.scene.expectOwn(mask);
		const repeat = loop === true ? 0 : loop === false ? 1 : loop;
		if (!Number.isInteger(repeat) || repeat < 0) {
			throw new PleachError('out-of-range', `loop is ${loop}; pass true, false, or how many times`);
		}
		if (!Number.isInteger(priority) || Math.abs(priority) > 0x7fffffff) {
			throw new PleachError('out-of-range', `priority must be a whole number, not ${priority}`);
		}
		const layer = raw.mixer_play(
			this.scene.world,
			this.number,
			clip.liveNumber,
			repeat,
			speed,
			weight,
			at,
			fade,
			replaces ? 1 : 0,
			mask?.id ?? 0,
			additive ? 1 : 0,
			priority,
		);
		return new Layer(this, checked(this.scene, layer));
	}

	/** Advances all layers and poses the nodes. */
	update(seconds: number): void {
		this.check('mixer');
		checked(this.scene, guarded.mixer_update(this.scene.world, this.number, seconds));
	}

	/** Returns the nodes to the pose that they had before the mixer. */
	restore(): void {
		this.check('mixer');
		if (raw.mixer_restore(this.scene.world, this.number) !== 0) throwFault();
	}

	/** Removes all layers. The nodes stay as they are. */
	clear(): void {
		this.check('mixer');
		if (raw.mixer_clear(this.number) !== 0) throwFault();
	}
}
