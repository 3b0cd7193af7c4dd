/** The same bits as on x86-64, aarch64 and in wasm32 outside of the browser: hashes of tools/portable. */
import './setup.js';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Graph } from '../src/entries/index.js';
import { recordedHash } from './recording.js';

test('world matrices have the committed hashes', () => {
	const lines = readFileSync(new URL('../../../../tools/portable/hashes.txt', import.meta.url), 'utf8').split('\n');
	const committed = lines.filter((line) => line.startsWith('Browser '));
	assert.equal(committed.length, 2);
	for (const line of committed) {
		const [, seed, hash] = line.split(' ');
		using graph = new Graph();
		assert.equal(recordedHash(graph, Number(seed)), hash, `seed ${seed}`);
	}
});
