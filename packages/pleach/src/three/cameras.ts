/**
 * Cameras of pleach as cameras of three.js, and back.
 */
import { OrthographicCamera, PerspectiveCamera, type Camera as ThreeCamera } from 'three';
import type { Camera } from '../scene-node.js';
import { assign } from './assign.js';

/** Returns the camera of three.js for a camera of pleach. */
export function cameraOf(node: Camera): PerspectiveCamera | OrthographicCamera {
	const { near, height } = node;
	const far = Number.isFinite(node.far) ? node.far : FAR;
	const aspect = node.aspect ?? 1;
	if (node.projection === 'orthographic') {
		const [x, y] = [(height * aspect) / 2, height / 2];
		return new OrthographicCamera(-x, x, y, -y, near, far);
	}
	return new PerspectiveCamera((node.fov * 180) / Math.PI, aspect, near, far);
}

/** How far a camera sees that sees without end. */
const FAR = 2e6;

/** Writes what differs to the camera of pleach. */
export function writeCamera(object: ThreeCamera, node: Camera): void {
	if (object instanceof OrthographicCamera) {
		const height = (object.top - object.bottom) / object.zoom;
		if (node.projection !== 'orthographic') node.projection = 'orthographic';
		assign(node, 'height', height);
		assign(node, 'aspect', (object.right - object.left) / (object.top - object.bottom));
		assign(node, 'near', object.near);
		if (object.far !== FAR || Number.isFinite(node.far)) assign(node, 'far', object.far);
	} else if (object instanceof PerspectiveCamera) {
		assign(node, 'fov', (object.getEffectiveFOV() * Math.PI) / 180);
		if (node.aspect !== null || object.aspect !== 1) assign(node, 'aspect', object.aspect);
		assign(node, 'near', object.near);
		if (object.far !== FAR || Number.isFinite(node.far)) assign(node, 'far', object.far);
	}
}
