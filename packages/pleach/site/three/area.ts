import { type PerspectiveCamera, Vector2, type WebGLRenderer } from 'three';
import type { Stage } from './stage.js';

const size = new Vector2();

/** Draws on a part of the canvas from now on, with a camera of its shape. */
export function area(renderer: WebGLRenderer, viewport: Stage['viewport'], camera: PerspectiveCamera): void {
	renderer.getSize(size);
	const [x, y, width, height] = viewport;
	renderer.setViewport(x * size.x, y * size.y, width * size.x, height * size.y);
	renderer.setScissor(x * size.x, y * size.y, width * size.x, height * size.y);
	renderer.setScissorTest(true);
	const aspect = (width * size.x) / (height * size.y);
	if (camera.aspect === aspect) return;
	camera.aspect = aspect;
	camera.updateProjectionMatrix();
}
