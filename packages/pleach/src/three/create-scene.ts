/** Where the bridge creates its scene: the one place that knows which module is loaded. */
import { Graph } from '../graph.js';
import { raw } from '../runtime.js';
import { Scene } from '../scene.js';

/** The scene of a bridge: a `Scene`, or a `Graph` if `pleach/core` was initialized. */
export type BridgeScene = Scene;

/** Creates a scene with Y up. */
export function createScene(): BridgeScene {
	const isComplete = 'spawn_mesh' in raw;
	// The module of `pleach/core` has no scenes; a graph has all that the bridge needs.
	return isComplete ? new Scene({ up: 'y' }) : (new Graph({ up: 'y' }) as Scene);
}
