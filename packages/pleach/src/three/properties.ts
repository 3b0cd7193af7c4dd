/**
 * How writes to `visible`, `frustumCulled`, `geometry` and `userData` are noticed.
 *
 * Their values move to the link, and accessors of the adopted prototype take their place. All properties that were added later are
 * removed and added again: an engine keeps an object fast only if its last property is removed. (It does so once: an object that is adopted
 * again later is slower, not wrong.)
 */
import type { BufferGeometry, Object3D } from 'three';
import type { Link } from './link.js';

const NAMES: readonly string[] = ['visible', 'frustumCulled', 'geometry', 'userData'];

type Fields = Record<string, unknown>;

/** Returns `true` for classes whose objects are drawn with a geometry. */
export function hasGeometry(object: Object3D): boolean {
	const { isMesh, isLine, isPoints, isSprite } = object as unknown as Fields;
	return isMesh === true || isLine === true || isPoints === true || isSprite === true;
}

/** Moves the values to the link. Returns `false` if a property is not a plain one: nothing is moved then. */
export function observeProperties(link: Link): boolean {
	const { object } = link;
	const fields = object as unknown as Fields;
	const names = Object.getOwnPropertyNames(object);
	const withGeometry = hasGeometry(object);
	const isObserved = (name: string) => NAMES.includes(name) && (withGeometry || name !== 'geometry');
	const first = names.findIndex(isObserved);
	const later = first < 0 ? [] : names.slice(first);
	if (later.filter(isObserved).length !== (withGeometry ? NAMES.length : NAMES.length - 1)) return false;
	const values: unknown[] = [];
	for (const name of later) {
		const property = Object.getOwnPropertyDescriptor(object, name) as PropertyDescriptor;
		if (!('value' in property && property.writable && property.enumerable && property.configurable)) return false;
		values.push(property.value);
	}
	read(link);
	for (let i = later.length - 1; i >= 0; i--) delete fields[later[i] as string];
	for (let i = 0; i < later.length; i++) {
		const name = later[i] as string;
		if (!isObserved(name)) fields[name] = values[i];
	}
	link.isObserved = true;
	return true;
}

/** Copies the values to the link. */
export function read(link: Link): void {
	const { object } = link;
	link.visible = object.visible;
	link.frustumCulled = object.frustumCulled;
	link.geometry = (object as { geometry?: BufferGeometry }).geometry;
	link.userData = object.userData;
}

/** Gives an object its own properties back. Call it after its class was put back. */
export function releaseProperties(link: Link): void {
	if (!link.isObserved) return;
	const { object } = link;
	link.isObserved = false;
	object.visible = link.visible;
	object.frustumCulled = link.frustumCulled;
	object.userData = link.currentUserData;
	if (link.geometry !== undefined) (object as { geometry?: BufferGeometry }).geometry = link.geometry;
}
