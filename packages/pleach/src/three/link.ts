/**
 * `Link`: what connects an object of three.js with its node.
 *
 * Invariant: an object has at most one link, and the link of an adopted object is in the table of its bridge.
 */
import type { BufferGeometry, Object3D } from 'three';
import type { SceneNode } from '../node.js';
import type { Bridge } from './bridge.js';

/** Returns its argument from a constructor, so that a subclass adds private fields to an object that exists already. */
export class ExistingObject {
	constructor(object: object) {
		// biome-ignore lint/correctness/noConstructorReturn: this is how private fields are added to existing objects.
		return object;
	}
}

/** The private field of an object that holds its link: invisible to programs, and faster than a `WeakMap`. */
class LinkField extends ExistingObject {
	#link: Link | null;

	constructor(object: Object3D, link: Link) {
		super(object);
		this.#link = link;
	}

	static get(object: object): Link | null {
		return #link in object ? object.#link : null;
	}

	static set(object: Object3D, link: Link | null): void {
		if (#link in object) (object as unknown as LinkField).#link = link;
		else if (link !== null) new LinkField(object, link);
	}
}

/** Returns the link of an object, or `null` if it is not adopted. */
export const linkOf: (object: object) => Link | null = LinkField.get;
/** Sets or removes the link of an object. */
export const setLink: (object: Object3D, link: Link | null) => void = LinkField.set;

/** Connects an object with its node. */
export class Link {
	/** The object's transform is compared in each update, because its properties cannot be observed. */
	isScanned = false;
	/** `updateMatrixWorld` is the object's own and is called after each update. */
	isOverridden = false;
	/** The name that both sides agreed on last. */
	name = '';
	/** The own visibility that both sides agreed on last. */
	visible = true;
	/** The data that both sides have, once there is a wrapper of the node. */
	userData: Record<string, unknown>;
	/** The wrapper of the node, if there is one. */
	node: SceneNode | null = null;
	/** What the bounds were computed for. */
	geometry: BufferGeometry | undefined = undefined;
	/** As `geometry`. */
	frustumCulled = true;
	/** The position in the list of objects with bounds; −1 for others. */
	boundsIndex = -1;
	/** What three.js calls when the quaternion changes; `null` if the object is not observed. */
	quaternionChanged: (() => void) | null = null;
	/** What three.js calls when the rotation changes. */
	rotationChanged: (() => void) | null = null;

	constructor(
		readonly bridge: Bridge,
		readonly object: Object3D,
		readonly world: number,
		readonly slot: number,
		readonly generation: number,
	) {
		this.userData = object.userData;
	}

	/** The local transform in pleach is a matrix: for pivots, quaternions that are not of length 1, and `matrixAutoUpdate = false`. */
	get isMatrix(): boolean {
		return this.bridge.matrixKinds[this.slot] === 1;
	}
	set isMatrix(isMatrix: boolean) {
		this.bridge.matrixKinds[this.slot] = isMatrix ? 1 : 0;
	}

	/** The number of the node. */
	get id(): number {
		return this.slot + this.generation * 4294967296;
	}
}
