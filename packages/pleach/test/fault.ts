/** Expects an error with a code. */
import assert from 'node:assert/strict';
import { PleachError, type PleachErrorCode } from '../src/entries/index.js';

/** Returns the error that `f` throws, which must have the code and a message that helps. */
export function fault(code: PleachErrorCode, f: () => unknown): PleachError {
	try {
		f();
	} catch (error) {
		return check(code, error);
	}
	throw new assert.AssertionError({ message: `nothing was thrown; '${code}' was expected` });
}

/** The same for a promise. */
export async function rejection(code: PleachErrorCode, promise: Promise<unknown>): Promise<PleachError> {
	try {
		await promise;
	} catch (error) {
		return check(code, error);
	}
	throw new assert.AssertionError({ message: `the promise was not rejected; '${code}' was expected` });
}

function check(code: PleachErrorCode, error: unknown): PleachError {
	assert.ok(error instanceof PleachError, String(error));
	assert.equal(error.code, code, error.message);
	assert.ok(error.message.length > 10);
	return error;
}

/** Compares numbers one by one. */
export function assertNear(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance = 1e-5): void {
	assert.equal(actual.length, expected.length);
	for (let i = 0; i < expected.length; i++) {
		const [a, b] = [actual[i] as number, expected[i] as number];
		assert.ok(Math.abs(a - b) <= tolerance, `element ${i}: ${a} instead of ${b}`);
	}
}
