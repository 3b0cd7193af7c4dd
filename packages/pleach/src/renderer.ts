/**
 * `Renderer`: draws scenes on a canvas. The entry `pleach/webgpu` alone has it.
 */
import type * as WebgpuGlue from '../generated/webgpu.js';
import { PleachError } from './errors.js';
import { Owned } from './owned.js';
import { glue, raw, throwFault } from './runtime.js';
import type { Scene } from './scene.js';
import type { Camera } from './scene-node.js';

const gpu = () => glue as unknown as typeof WebgpuGlue;
const rawGpu = () => raw as unknown as WebgpuGlue.InitOutput;

/** What a renderer is created with. */
export interface RendererOptions {
	/** 'auto' (default) uses WebGPU where the browser has it, and WebGL2 elsewhere. */
	api?: 'auto' | 'webgl';
	/** The samples of each pixel: 4 by default, or 1. */
	samples?: 1 | 4;
}

/**
 * Draws a scene on a canvas: glTF's materials with all ratified extensions, skins, morph targets, instances, shadows and
 * image-based light. Only what changed since the last frame is uploaded.
 *
 * @example
 * ```ts no-run
 * const renderer = await Renderer.create(canvas);
 * function frame() {
 *   renderer.render(scene, camera);
 *   requestAnimationFrame(frame);
 * }
 * frame();
 * ```
 */
export class Renderer extends Owned {
	/** What draws: 'webgpu' or 'webgl'. */
	readonly api: 'webgpu' | 'webgl';

	private constructor(
		/** The canvas. Its width and height are the size of the picture. */
		readonly canvas: HTMLCanvasElement,
		private readonly renderer: number,
	) {
		super();
		this.own(() => gpu().renderer_free(renderer));
		this.api = gpu().renderer_number(renderer, 0) === 1 ? 'webgpu' : 'webgl';
	}

	/**
	 * Creates a renderer for a canvas that has no context yet.
	 *
	 * @throws 'gpu' if the browser has neither WebGPU nor WebGL2, or the canvas is too large or has another context
	 */
	static async create(canvas: HTMLCanvasElement, options?: RendererOptions): Promise<Renderer> {
		if (typeof HTMLCanvasElement === 'undefined' || !(canvas instanceof HTMLCanvasElement)) {
			throw new PleachError('wrong-type', 'a renderer needs a canvas element of the page');
		}
		return new Renderer(canvas, await gpu().renderer_new(canvas, options?.api === 'webgl', options?.samples ?? 4));
	}

	/**
	 * Updates a scene and draws it as a camera sees it.
	 *
	 * @throws 'gpu' if the canvas is larger than the device can draw, or the device reported an error since the last picture
	 */
	render(scene: Scene, camera: Camera): void {
		this.check('renderer');
		scene.expectOwn(camera);
		const { width, height } = this.canvas;
		const status = rawGpu().renderer_draw(this.renderer, scene.world, camera.slot, camera.generation, width, height);
		if (status !== 0) throwFault();
	}

	/** The number of instanced calls of the last picture. */
	get calls(): number {
		this.check('renderer');
		return gpu().renderer_number(this.renderer, 1);
	}

	/** What was drawn with less than was asked for by the last call, such as a texture that is too large. */
	get warnings(): readonly string[] {
		this.check('renderer');
		const text = gpu().renderer_warnings(this.renderer);
		return text === '' ? [] : text.split('\n');
	}
}
