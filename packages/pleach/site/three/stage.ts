/** What the eight scenes have in common: only three.js. */
import {
	Color,
	DirectionalLight,
	HemisphereLight,
	type Intersection,
	type Object3D,
	type PerspectiveCamera,
	Scene,
	type Vector2,
	type WebGLRenderer,
} from 'three';

/** A scene with its camera. */
export interface Stage {
	readonly scene: Scene;
	readonly camera: PerspectiveCamera;
	/** The part of the canvas: x, y, width and height from 0 to 1, from the lower left corner. */
	readonly viewport: readonly [x: number, y: number, width: number, height: number];
	/** Moves the scene to a time in seconds. */
	animate(time: number): void;
	/** Marks the first hit of the ray below the pointer. Scenes without it cast no rays. */
	select?(hit: Intersection | undefined): void;
}

/** Runs a stage. `three-alone.ts` and `three-and-pleach.ts` create one each. */
export interface Player {
	draw(): void;
	cast(pointer: Vector2): Intersection[];
}

export type Play = (stage: Stage, renderer: WebGLRenderer) => Player;

/** The whole canvas. */
export const FULL = [0, 0, 1, 1] as const;

/** Creates a scene with a sky and two lights. */
export function litScene(background = 0xdfe7ea): Scene {
	const scene = new Scene();
	scene.background = new Color(background);
	scene.add(new HemisphereLight(0xffffff, 0x8a8070, 1.6));
	const sun = new DirectionalLight(0xfff2dd, 2.2);
	sun.position.set(3, 6, 4);
	scene.add(sun);
	return scene;
}

/** Moves a camera around the vertical axis, at an angle in radians. */
export function orbit(camera: Object3D, angle: number, radius: number, height: number, lookAtHeight = 0): void {
	camera.position.set(radius * Math.sin(angle), height, radius * Math.cos(angle));
	camera.lookAt(0, lookAtHeight, 0);
}

/** Returns a generator of numbers from 0 to 1: the same ones for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let bits = Math.imul(state ^ (state >>> 15), 1 | state);
		bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
		return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296;
	};
}
