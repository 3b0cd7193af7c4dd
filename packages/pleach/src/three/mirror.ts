/**
 * What nodes of a bridge's scene have in addition: the bridge learns what pleach writes, and names that three.js wrote are read before
 * they are needed. An object has no place for an accessor of `name`, so it is compared instead.
 */
import { Graph } from '../graph.js';
import { SceneNode } from '../node.js';
import { Scene } from '../scene.js';
import { KindNode } from '../scene-node.js';
import type { BridgeScene } from './create-scene.js';

/** What a scene reports to its bridge. */
export interface Mirror {
	/** A wrapper of a node was created. */
	wrapped(node: SceneNode): void;
	/** The name of a node is needed; of all nodes for `null`. */
	readNames(node: SceneNode | null): void;
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
			mirrors.get(this.scene)?.readNames(this);
			return (own.name.get as Get<string>).call(this);
		},
		set: own.name.set as Assign<string>,
	},
	visible: {
		get: own.visible.get as Get<boolean>,
		set(visible: boolean) {
			(own.visible.set as Assign<boolean>).call(this, visible);
			mirrors.get(this.scene)?.visibleSet(this);
		},
	},
	find: {
		value(name: string) {
			mirrors.get(this.scene)?.readNames(null);
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

const FINDERS = ['find', 'findAll', 'findPath'] as const;

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
	for (const name of FINDERS) {
		overrides[name] = (text: string) => {
			mirror.readNames(null);
			return (Graph.prototype[name] as (this: Graph, text: string) => unknown).call(scene, text);
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
