/**
 * The methods of adopted objects that differ from three's.
 *
 * They are on one prototype per class, between the object and its class: an object gets no properties of its own,
 * `instanceof` and overridden methods work as before, and `dispose` puts the class back.
 */
import { Camera, type Intersection, Object3D, type Raycaster, SkinnedMesh } from 'three';
import { type Link, linkOf } from './link.js';

interface EventLike {
	readonly type: string;
	readonly child?: Object3D;
}

const adopted = new Map<object, object>();
const originals = new WeakMap<object, object>();

function link(object: Object3D): Link {
	// An adopted object has a link: its prototype is changed last and put back first.
	return linkOf(object) as Link;
}

/** Returns `true` for the prototype of `SkinnedMesh` and of its subclasses. */
function isSkinned(prototype: Object3D): prototype is SkinnedMesh {
	return prototype === SkinnedMesh.prototype || prototype instanceof SkinnedMesh;
}

/**
 * The `raycast` of objects that are not drawn. That of a root gives `raycaster.intersectObject(root)` the hits of the whole tree, and ends
 * three's own walk. Roots that are drawn keep their own: a call that is not recursive wants their hits alone.
 */
function raycastBelow(this: Object3D, raycaster: Raycaster, hits: Intersection[]): false | undefined {
	const { bridge } = link(this);
	if (bridge.root !== this) return undefined;
	for (const hit of bridge.raycast(raycaster)) hits.push(hit);
	return false;
}

/** Returns `true` if an object is drawn, or has a `raycast` of its own. */
export function canBeHit({ raycast }: Object3D): boolean {
	return raycast !== Object3D.prototype.raycast && raycast !== (raycastBelow as unknown);
}

function prototypeFor(original: Object3D): object {
	const known = adopted.get(original);
	if (known !== undefined) return known;
	const prototype = Object.create(original, {
		updateMatrixWorld: {
			value(this: Object3D, force?: boolean) {
				const { bridge } = link(this);
				bridge.update();
				// What updates it may have ended the bridge.
				if (bridge.disposed) this.updateMatrixWorld(force);
			},
			writable: true,
			configurable: true,
		},
		updateWorldMatrix: {
			value(this: Object3D, updateParents: boolean, updateChildren: boolean) {
				const { bridge } = link(this);
				if (updateChildren) bridge.update();
				else bridge.refresh(link(this), updateParents);
			},
			writable: true,
			configurable: true,
		},
		updateMatrix: {
			value(this: Object3D) {
				original.updateMatrix.call(this);
				this.matrixWorldNeedsUpdate = false;
				if (link(this).isMatrix || !this.matrixAutoUpdate || this.pivot != null) {
					link(this).bridge.writeMatrix(link(this));
				}
			},
			writable: true,
			configurable: true,
		},
		applyMatrix4: {
			value(this: Object3D, matrix: Parameters<Object3D['applyMatrix4']>[0]) {
				original.applyMatrix4.call(this, matrix);
				if (!this.matrixAutoUpdate) link(this).bridge.writeMatrix(link(this));
			},
			writable: true,
			configurable: true,
		},
		toJSON: {
			value(this: Object3D, meta?: Parameters<Object3D['toJSON']>[0]) {
				if (meta === undefined || typeof meta === 'string') {
					this.traverse((object) => {
						if (object.matrixAutoUpdate) object.updateMatrix();
					});
				}
				return original.toJSON.call(this, meta);
			},
			writable: true,
			configurable: true,
		},
		...(original.raycast === Object3D.prototype.raycast && {
			raycast: { value: raycastBelow, writable: true, configurable: true },
		}),
		...(isSkinned(original) && {
			bind: {
				value(this: SkinnedMesh, ...args: Parameters<SkinnedMesh['bind']>) {
					original.bind.apply(this, args);
					link(this).bridge.bound(link(this));
				},
				writable: true,
				configurable: true,
			},
		}),
		dispatchEvent: {
			value(this: Object3D, event: EventLike) {
				const { bridge } = link(this);
				if (event.type === 'childadded' && event.child) bridge.childAdded(link(this), event.child);
				else if (event.type === 'childremoved' && event.child) bridge.childRemoved(link(this), event.child);
				else if (event.type === 'added') bridge.added(link(this));
				(original.dispatchEvent as (event: EventLike) => void).call(this, event);
			},
			writable: true,
			configurable: true,
		},
	}) as object;
	adopted.set(original, prototype);
	originals.set(prototype, original);
	return prototype;
}

/** Puts the methods of adopted objects between an object and its class. */
export function adoptPrototype(object: Object3D): void {
	Object.setPrototypeOf(object, prototypeFor(Object.getPrototypeOf(object) as Object3D));
}

/** Gives an object its class back. */
export function restorePrototype(object: Object3D): void {
	const original = originals.get(Object.getPrototypeOf(object) as object);
	if (original !== undefined) Object.setPrototypeOf(object, original);
}

const ORIGINAL_METHODS: ReadonlySet<unknown> = new Set([
	Object3D.prototype.updateMatrixWorld,
	Camera.prototype.updateMatrixWorld,
	SkinnedMesh.prototype.updateMatrixWorld,
]);

/** Returns `true` if the object's class, or the object, has an `updateMatrixWorld` of its own. Call it before `adoptPrototype`. */
export function isOverridden(object: Object3D): boolean {
	return !ORIGINAL_METHODS.has(object.updateMatrixWorld);
}

/** Calls the object's own `updateMatrixWorld`. */
export function callOverridden(object: Object3D): void {
	const original = originals.get(Object.getPrototypeOf(object) as object) as Object3D | undefined;
	if (Object.hasOwn(object, 'updateMatrixWorld')) object.updateMatrixWorld();
	else original?.updateMatrixWorld.call(object);
}
