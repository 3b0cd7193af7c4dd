/**
 * What nodes of a bridge's scene have in addition: the bridge learns what pleach writes, and what three.js wrote to names, visibility and
 * data is read before it is needed. Accessors of these in the place of an object's own properties would make engines slow.
 */
import type { Graph } from '../graph.js';
import { SceneNode } from '../node.js';
import { Scene } from '../scene.js';
import { KindNode } from '../scene-node.js';
import type { BridgeScene } from './create-scene.js';

/** What a scene reports to its bridge. */
export interface Mirror {
	/** A wrapper of a node was created. */
	wrapped(node: SceneNode): void;
	/** The name or visibility of a node is needed; of all nodes for `null`. */
	read(node: SceneNode | null): void;
	/** `visible` of a node was set. */
	visibleSet(node: SceneNode): void;
	/** Geometry, materials or instances of a node were set. */
	partsSet(node: SceneNode): void;
	/** The scene is about to be disposed. */
	disposing(): void;
}

const mirrors = new WeakMap<Graph, Mirror>();
const own = Object.getOwnPropertyDescriptors(SceneNode.prototype);
type Get<T> = (this: SceneNode) => T;
type Assign<T> = (this: SceneNode, value: T) => void;

const members: PropertyDescriptorMap & ThisType<SceneNode> = {
	name: {
		get() {
			mirrors.get(this.scene)?.read(this);
			return (own.name.get as Get<string>).call(this);
		},
		set: own.name.set as Assign<string>,
	},
	visible: {
		get() {
			mirrors.get(this.scene)?.read(this);
			return (own.visible.get as Get<boolean>).call(this);
		},
		set(visible: boolean) {
			(own.visible.set as Assign<boolean>).call(this, visible);
			mirrors.get(this.scene)?.visibleSet(this);
		},
	},
	shown: {
		get() {
			const mirror = mirrors.get(this.scene);
			if (mirror !== undefined && this.alive) {
				mirror.read(this);
				for (let at = this.parent; at !== null; at = at.parent) mirror.read(at);
			}
			return (own.shown.get as Get<boolean>).call(this);
		},
	},
	find: {
		value(name: string) {
			mirrors.get(this.scene)?.read(null);
			return own.find.value?.call(this, name);
		},
	},
};

/** A node of a graph of `pleach/core`. */
class MirroredNode extends SceneNode {}
Object.defineProperties(MirroredNode.prototype, members);

/** A node of a scene. */
class MirroredKindNode extends KindNode {}
const kinds = Object.getOwnPropertyDescriptors(KindNode.prototype);
const partSetters = (['geometry', 'material', 'parts', 'instances'] as const).map((name) => {
	const { get, set } = kinds[name];
	const descriptor: PropertyDescriptor & ThisType<SceneNode> = {
		...(get && { get }),
		set(value: unknown) {
			(set as Assign<unknown>).call(this, value);
			mirrors.get(this.scene)?.partsSet(this);
		},
	};
	return [name, descriptor] as const;
});
Object.defineProperties(MirroredKindNode.prototype, { ...members, ...Object.fromEntries(partSetters) });

/** What needs the names or the visibility of all nodes. */
const READERS = [
	...['find', 'findAll', 'findPath', 'shownChanged', 'cull', 'pickMany', 'queryBox', 'querySphere', 'nearest'],
	...['pick', 'pickAll', 'pickPixel', 'getVisibleMeshes', 'renderList', 'cullReason', 'instantiate', 'snapshot'],
] as const;

/** Lets a scene report to a bridge. Returns what ends it. */
export function mirrorNodes(scene: BridgeScene, mirror: Mirror): () => void {
	mirrors.set(scene, mirror);
	const Node = scene instanceof Scene ? MirroredKindNode : MirroredNode;
	// It was created with the scene.
	Object.setPrototypeOf(scene.root, Node.prototype);
	const overrides: Record<string, unknown> = {
		createNode(slot: number, generation: number) {
			const node = new Node(scene, slot, generation);
			mirrors.get(scene)?.wrapped(node);
			return node;
		},
	};
	overrides.dispose = () => {
		mirror.disposing();
		scene.dispose();
	};
	for (const name of READERS) {
		const method: unknown = Reflect.get(scene, name);
		if (typeof method !== 'function') continue;
		overrides[name] = (...args: unknown[]): unknown => {
			mirror.read(null);
			return method.apply(scene, args);
		};
	}
	for (const [name, value] of Object.entries(overrides)) {
		Object.defineProperty(scene, name, { value, configurable: true });
	}
	return () => {
		mirrors.delete(scene);
		for (const name of Object.keys(overrides)) delete (scene as unknown as Record<string, unknown>)[name];
	};
}
