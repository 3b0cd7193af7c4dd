/** Random numbers for tests: the same sequence for the same seed, which each test prints. */

/** Returns the seed of this run: `PLEACH_SEED`, or one from the clock. */
export function seed(): number {
	return Number(process.env.PLEACH_SEED ?? Date.now() % 1_000_000_000);
}

/** A generator with 32 bits of state (mulberry32). */
export class Random {
	constructor(private state: number) {}

	/** Returns a number from 0 up to, and without, 1. */
	next(): number {
		this.state = (this.state + 0x6d2b79f5) | 0;
		let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	}

	/** Returns a whole number below `n`. */
	below(n: number): number {
		return Math.floor(this.next() * n);
	}

	/** Returns a number between two others. */
	between(from: number, to: number): number {
		return from + (to - from) * this.next();
	}

	/** Returns a unit quaternion. */
	quat(): [number, number, number, number] {
		const q = [this.between(-1, 1), this.between(-1, 1), this.between(-1, 1), this.between(0.1, 1)] as const;
		const length = Math.hypot(...q);
		return [q[0] / length, q[1] / length, q[2] / length, q[3] / length];
	}
}
