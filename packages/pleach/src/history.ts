/**
 * Undo and redo.
 */
import { checkedCount } from './arguments.js';
import { PleachError } from './errors.js';
import type { Graph } from './graph.js';
import { Owned } from './owned.js';
import { checked, glue, guarded, raw, throwFault } from './runtime.js';

/**
 * The steps of a scene that can be undone: what `transact`, `record` and `apply` did since it was created. Nodes that come
 * back are the same objects.
 *
 * @example
 * ```ts
 * const history = scene.createHistory();
 * const lamp = scene.transact('add a lamp', () => scene.createGroup({ name: 'lamp' }));
 * assert.equal(history.undo(), 'add a lamp');
 * assert.equal(lamp.alive, false);
 * history.redo();
 * assert.equal(scene.find('lamp'), lamp);
 * ```
 */
export class EditHistory extends Owned {
	/** @internal */
	readonly number: number;

	/** @internal */
	constructor(
		private readonly scene: Graph,
		bytes: number | undefined,
	) {
		super();
		if (bytes !== undefined && !(bytes > 0)) {
			throw new PleachError('out-of-range', `the limit of a history is ${bytes} bytes; it must be positive`);
		}
		const number = raw.history_new(bytes ?? 0) >>> 0;
		this.number = number;
		this.own(() => raw.history_free(scene.world, number));
	}

	/** Undoes the last step, and returns its label; `null` if there is none. */
	undo(): string | null {
		this.check('history');
		this.scene.restorations += 1;
		return glue.history_undo(this.scene.world, this.number) ?? null;
	}

	/** Applies the step that was undone last, and returns its label; `null` if there is none. */
	redo(): string | null {
		this.check('history');
		this.scene.restorations += 1;
		return glue.history_redo(this.scene.world, this.number) ?? null;
	}

	/** The labels of the steps that can be undone, the next one first. */
	get labels(): readonly string[] {
		this.check('history');
		return glue.history_labels(this.number, false);
	}

	/** The labels of the steps that can be redone, the next one first. */
	get redoLabels(): readonly string[] {
		this.check('history');
		return glue.history_labels(this.number, true);
	}

	/** Remembers the current state for `returnTo`. */
	mark(): number {
		this.check('history');
		return checked(this.scene, raw.history_mark(this.number));
	}

	/** Undoes or redoes steps until the state of a mark. Returns `false` if it cannot be reached any more. */
	returnTo(mark: number): boolean {
		this.check('history');
		this.scene.restorations += 1;
		return (
			checked(this.scene, guarded.history_return_to(this.scene.world, this.number, checkedCount(mark, 'the mark'))) !==
			0
		);
	}

	/** `true` if the scene differs from what it was at the last `setSaved()`, or at the beginning. */
	get isModified(): boolean {
		this.check('history');
		return checked(this.scene, raw.history_number(this.number, 2)) !== 0;
	}

	/** States that the current state is saved. */
	setSaved(): void {
		this.set(0);
	}

	/** Ends the merging of steps with one key: the next is a step of its own. */
	endMerging(): void {
		this.set(1);
	}

	/** How many bytes the steps take. */
	get byteSize(): number {
		this.check('history');
		return checked(this.scene, raw.history_number(this.number, 0));
	}

	/** Forgets all steps. */
	clear(): void {
		this.check('history');
		if (raw.history_clear(this.scene.world, this.number) !== 0) throwFault();
	}

	private set(which: number): void {
		this.check('history');
		if (raw.history_set(this.number, which) !== 0) throwFault();
	}
}
