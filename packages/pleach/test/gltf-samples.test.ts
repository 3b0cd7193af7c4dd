/** All sample models against the answers of two other implementations, and saved without loss. */
import './setup.js';
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createScene, loadGltf, PleachError, type SceneNode } from '../src/entries/index.js';

const assets = process.env.PLEACH_ASSETS ?? fileURLToPath(new URL('../../../../../shared/assets', import.meta.url));

/** What this test reads of `expected.json`. */
interface Expected {
	file: string;
	outcome: 'load' | 'refuse';
	tolerance: number;
	nodes: { world: number[] }[];
	animations: { duration: number; moving: number[]; samples: { t: number; world: number[][] }[] }[];
	skins: { joint_matrices: number[][] }[];
}

function compare(actual: ArrayLike<number>, expected: readonly number[], tolerance: number, what: string): void {
	const scale = Math.max(1, ...expected.map(Math.abs));
	for (const [i, e] of expected.entries()) {
		const a = actual[i] as number;
		assert.ok(Math.abs(a - e) <= tolerance * scale, `${what}: element ${i} is ${a} instead of ${e}`);
	}
}

const names = existsSync(assets)
	? readdirSync(assets).filter((name) => existsSync(join(assets, name, 'expected.json')))
	: [];

test('there are samples', { skip: !existsSync(assets) && 'no sample models here' }, () => assert.ok(names.length > 40));

for (const name of names) {
	test(name, async () => {
		const expected = JSON.parse(readFileSync(join(assets, name, 'expected.json'), 'utf8')) as Expected;
		const read = (file: string) => readFileSync(join(assets, name, decodeURIComponent(file)));
		const original = read(encodeURIComponent(expected.file));
		const loading = loadGltf(original, { up: 'y', resolve: async (uri) => read(uri) });
		if (expected.outcome === 'refuse') {
			await assert.rejects(loading, (error) => error instanceof PleachError && error.code.startsWith('gltf-'));
			return;
		}
		using document = await loading;
		const { tolerance, nodes } = expected;
		const scenes =
			document.unreferencedNodes === null ? document.scenes : [...document.scenes, document.unreferencedNodes];
		let compared = 0;
		for (const scene of scenes) {
			const byIndex = new Map<number, SceneNode>();
			scene.traverse((node) => {
				const index = document.indexOf(node);
				if (index !== null) byIndex.set(index, node);
			});
			const check = (index: number, world: readonly number[] | undefined, when: string) => {
				const node = byIndex.get(index);
				if (node === undefined || world === undefined) return;
				compared += 1;
				compare(node.worldMatrix, world, tolerance, `node ${index} ${when}`);
			};
			nodes.forEach(({ world }, index) => {
				check(index, world, 'at rest');
			});
			for (const [index, { samples, moving }] of (expected.animations ?? []).entries()) {
				using mixer = scene.createMixer();
				const clip = document.clipsOf(scene)[index];
				assert.ok(clip);
				const layer = mixer.play(clip, { loop: false });
				for (const { t, world } of samples) {
					layer.time = t;
					mixer.update(0);
					for (const [k, node] of moving.entries()) check(node, world[k], `at ${t} s`);
				}
				mixer.restore();
			}
			nodes.forEach(({ world }, index) => {
				check(index, world, 'again at rest');
			});
		}
		assert.ok(compared >= nodes.length);
		const format = expected.file.endsWith('.glb') ? 'glb' : 'gltf';
		const saved = document.save({ format });
		assert.ok(Buffer.from(saved.bytes).equals(original), 'the file comes back byte for byte');
		using scene = createScene();
		const { root } = scene.instantiate(document);
		scene.update();
		assert.ok(root.alive);
	});
}
