/**
 * `Asset`: what materials, geometries and images have in common.
 *
 * Invariant: there is at most one object per id, so that `===` works. It keeps the asset alive.
 */
import type { PleachError } from './errors.js';
import { Owned } from './owned.js';
import { glue, raw } from './runtime.js';

const known = new Map<number, WeakRef<Asset>>();

/**
 * A shared value with an id that stays and a version that counts up with each edit.
 *
 * @example
 * ```ts
 * const uploaded = new Map<Asset, number>();
 * const needsUpload = (asset: Asset) => uploaded.get(asset) !== asset.version;
 * uploaded.set(material, material.version);
 * assert.equal(needsUpload(material), false);
 * material.roughness = 0.5;
 * assert.equal(needsUpload(material), true);
 * ```
 */
export abstract class Asset extends Owned {
	/** @internal */
	constructor(
		/** The identity: no other asset ever has it. */
		readonly id: number,
	) {
		super();
		known.set(id, new WeakRef(this));
		this.own(() => {
			// Another object for the same asset may have been created since this one became unreachable.
			if (known.get(id)?.deref() !== undefined) return;
			known.delete(id);
			raw.asset_release(id);
		});
	}

	/** @internal Returns the object of an asset that the module keeps alive. */
	protected static wrap<T extends Asset>(id: number, type: new (id: number) => T): T {
		const object = known.get(id)?.deref();
		return object instanceof type ? object : new type(id);
	}

	/** @internal The id, for calls: a disposed object may have the id of an asset that another object keeps. */
	get liveId(): number {
		this.check('asset');
		return this.id;
	}

	/** Counts up with each edit. */
	get version(): number {
		const version = raw.asset_version(this.liveId);
		if (Number.isNaN(version)) throw glue.take_fault() as PleachError;
		return version;
	}

	/** Lets go of the asset, which lives on while a scene uses it. Every later call of this object throws 'disposed'. */
	override dispose(): void {
		if (known.get(this.id)?.deref() === this) known.delete(this.id);
		super.dispose();
	}
}
