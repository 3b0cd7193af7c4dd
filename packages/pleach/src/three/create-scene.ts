/** Where the bridge creates its scene: the one place that knows which module is loaded. */
import { Graph } from '../graph.js';

/** The scene of a bridge. */
export type BridgeScene = Graph;

/** Creates a scene with Y up. */
export function createScene(): BridgeScene {
	return new Graph({ up: 'y' });
}
