/**
 * Rendering without a walk through the tree: during one `render`, the root has the objects in view as its only children.
 */
import type { Camera, Object3D } from 'three';

/** What `Bridge.render` needs of a renderer: all renderers of three.js have it. */
export interface FlatRenderer {
	render(scene: Object3D, camera: Camera): unknown;
	readonly shadowMap?: { readonly enabled: boolean };
}

/** Renders the root as if `objects` were its only children, and had none themselves. */
export function renderFlat(renderer: FlatRenderer, root: Object3D, objects: readonly Object3D[], camera: Camera): void {
	const shown = new Set(objects);
	shown.delete(root);
	const hidden: [object: Object3D, children: Object3D[]][] = [[root, root.children]];
	const none: Object3D[] = [];
	for (const object of shown) {
		if (object.children.length > 0) hidden.push([object, object.children]);
	}
	try {
		for (const [object] of hidden) object.children = none;
		root.children = [...shown];
		renderer.render(root, camera);
	} finally {
		for (const [object, children] of hidden) object.children = children;
	}
}
