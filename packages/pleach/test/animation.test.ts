/** Clips and mixers. */
import './setup.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScene, type SceneNode } from '../src/entries/index.js';
import { assertNear, fault } from './fault.js';

function setup() {
	const scene = createScene();
	const door = scene.createGroup({ name: 'door' });
	const knob = scene.createGroup({ name: 'knob', parent: door });
	const slide = (name: string, to: number) =>
		scene.createClip(name, [{ node: door, property: 'position', times: [0, 2], values: [0, 0, 0, to, 0, 0] }]);
	return { scene, door, knob, open: slide('open', 4), close: slide('close', -4), mixer: scene.createMixer() };
}

test('a clip moves its nodes', () => {
	const { scene, door, open, mixer } = setup();
	assert.deepEqual([open.name, open.duration, open.nodes[0]], ['open', 2, door]);
	const layer = mixer.play(open, { loop: false });
	mixer.update(1);
	assert.equal(door.position.x, 2);
	assert.deepEqual([layer.time, layer.finished, layer.playing], [1, false, true]);
	layer.pause();
	mixer.update(1);
	assert.equal(door.position.x, 2);
	layer.resume();
	layer.speed = 2;
	mixer.update(0.25);
	assert.equal(door.position.x, 3);
	layer.time = 0.5;
	mixer.update(0);
	assert.equal(door.position.x, 1);
	mixer.update(10);
	assert.deepEqual([door.position.x, layer.finished], [4, true]);
	mixer.restore();
	assert.equal(door.position.x, 0);
	assert.equal(scene.update() > 0, true);
});

test('layers are blended, faded, masked and repeated', () => {
	const { door, knob, scene, open, close, mixer } = setup();
	const a = mixer.play(open, { at: 1 });
	a.speed = 0;
	const b = mixer.fadeTo(close, 1, { at: 1, speed: 0 });
	mixer.update(0.5);
	assertNear([door.position.x], [0]);
	mixer.update(0.6);
	assertNear([door.position.x], [-2]);
	assert.deepEqual([a.finished, a.weight, b.fadeLevel], [true, 0, 1]);
	b.fadeOut(0.5);
	mixer.update(1);
	assert.deepEqual([door.position.x, b.finished], [0, true]);
	a.speed = 3;
	a.stop();
	const turn = scene.createClip('both', [
		{ node: door, property: 'position', times: [0, 1], values: [0, 0, 0, 1, 0, 0] },
		{ node: knob, property: 'position', times: [0, 1], values: [0, 0, 0, 1, 0, 0], interpolation: 'step' },
	]);
	const c = mixer.play(turn, { mask: knob, loop: 2 });
	mixer.update(1.5);
	assert.deepEqual([door.position.x, knob.position.x, c.time], [0, 0, 0.5]);
	mixer.update(5);
	assert.deepEqual([knob.position.x, c.finished], [1, true]);
	mixer.clear();
	mixer.play(open, { additive: true, at: 1, speed: 0, fadeIn: 2 });
	mixer.update(1);
	assertNear([door.position.x], [1]);
});

test('a mixer takes only what fits', () => {
	const { scene, door, open, mixer } = setup();
	using other = createScene();
	const foreign = other.createClip('x', [
		{ node: other.createGroup(), property: 'scale', times: [0], values: [1, 1, 1] },
	]);
	fault('foreign-node', () => mixer.play(foreign));
	fault('foreign-node', () => mixer.play(open, { mask: other.root }));
	fault('wrong-type', () => mixer.play('open' as never));
	fault('not-finite', () => mixer.play(open, { speed: Number.NaN }));
	fault('out-of-range', () => mixer.play(open, { loop: -1 }));
	fault('not-finite', () => mixer.update(Number.NaN));
	fault('not-finite', () => {
		mixer.play(open).time = Infinity;
	});
	const key = { node: door, property: 'position', times: [0, 1], values: [0, 0, 0] } as const;
	fault('out-of-range', () => scene.createClip('few values', [key]));
	fault('wrong-length', () => scene.createClip('odd', [{ ...key, values: [0, 0] }]));
	fault('out-of-range', () => scene.createClip('decreasing', [{ ...key, times: [1, 0], values: [0, 0, 0, 1, 1, 1] }]));
	fault('out-of-range', () =>
		scene.createClip(
			'twice',
			[key, key].map((it) => ({ ...it, times: [0] })),
		),
	);
	fault('out-of-range', () => scene.createClip('colour', [{ ...key, property: 'color' as never }]));
	fault('foreign-node', () => scene.createClip('foreign', [{ ...key, node: other.root as SceneNode }]));
	open.dispose();
	fault('disposed', () => mixer.play(open));
	mixer.dispose();
	fault('disposed', () => mixer.update(1));
	fault('disposed', () => mixer.restore());
});

test('removed nodes are skipped', () => {
	const { scene, door, open, mixer } = setup();
	mixer.play(open);
	door.dispose();
	mixer.update(1);
	assert.equal(scene.find('door'), null);
	scene.dispose();
	fault('disposed', () => mixer.update(1));
});
