/// <reference lib="esnext.disposable" />
/**
 * `Owned`: objects that hold memory of the module until they are disposed.
 */
import { PleachError } from './errors.js';

const registry = new FinalizationRegistry<() => void>((free) => {
	try {
		free();
	} catch {
		// The module stopped: there is nothing left to free.
	}
});

/**
 * Holds memory of the module. `dispose()` (or `using`) frees it; objects that are no longer reachable are freed
 * later, between tasks.
 *
 * @example
 * ```ts
 * const mixer: Owned = scene.createMixer();
 * mixer.dispose();
 * assert.equal(mixer.disposed, true);
 * ```
 */
export abstract class Owned implements Disposable {
	/** Disposes the object at the end of a block that declares it with `using`. */
	declare readonly [Symbol.dispose]: () => void;
	private isDisposed = false;

	/** @internal `free` must not refer to the object. */
	protected own(free: () => void): void {
		registry.register(this, free, this);
		this.free = free;
	}

	private free: () => void = () => {};

	/** Frees the memory. Every later call throws 'disposed'; a second `dispose()` does nothing. */
	dispose(): void {
		if (this.isDisposed) return;
		this.isDisposed = true;
		registry.unregister(this);
		try {
			this.free();
		} catch (error) {
			// After a panic the memory belongs to nobody; `using` must not hide the first error.
			if (!(error instanceof PleachError && error.code === 'panicked')) throw error;
		}
	}

	/** `true` after `dispose()`. */
	get disposed(): boolean {
		return this.isDisposed;
	}

	/** @internal */
	protected check(what: string): void {
		if (this.isDisposed) throw new PleachError('disposed', `this ${what} was disposed; create another`);
	}
}

// Older engines have no `Symbol.dispose`; `using` is compiled to a call by compilers that define it.
if (typeof Symbol.dispose === 'symbol') {
	Object.defineProperty(Owned.prototype, Symbol.dispose, {
		value(this: Owned) {
			this.dispose();
		},
	});
}
