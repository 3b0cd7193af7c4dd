/** Edits whose result is the same, bit for bit, everywhere: those of tools/portable/src/browser.rs. */
import type { Graph, SceneNode } from '../src/entries/core-exports.js';

class Generator {
	constructor(private state: number) {}

	private next(): number {
		this.state = (this.state + 0x6d2b79f5) | 0;
		let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return (t ^ (t >>> 14)) >>> 0;
	}

	below(n: number): number {
		return Math.floor((this.next() / 4294967296) * n);
	}

	number(from: number, to: number): number {
		return (this.below(to - from) + from) / 64;
	}

	vec3(from: number, to: number): [number, number, number] {
		return [this.number(from, to), this.number(from, to), this.number(from, to)];
	}
}

/** Performs the edits on an empty graph, and returns the hash of all world matrices. */
export function recordedHash(graph: Graph, seed: number): string {
	const random = new Generator(seed);
	const nodes: SceneNode[] = [graph.root];
	for (let i = 0; i < 4000; i++) step(random, graph, nodes);
	graph.update();
	const matrices = graph.worldMatrices;
	let hash = 0xcbf29ce484222325n;
	for (const { slot } of nodes) {
		const row = matrices.slice(slot * 16, slot * 16 + 16);
		for (const byte of new Uint8Array(row.buffer)) {
			hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
		}
	}
	return hash.toString(16).padStart(16, '0');
}

function step(random: Generator, graph: Graph, nodes: SceneNode[]): void {
	const action = random.below(10);
	const node = nodes[random.below(nodes.length)] as SceneNode;
	if (action < 3) {
		const position = random.vec3(-320, 320);
		const angles = random.vec3(-256, 256);
		const scale = random.vec3(32, 96);
		const child = graph.createGroup({ parent: node, position, scale });
		child.rotation.setEuler(...angles);
		nodes.push(child);
	} else if (action === 3) {
		graph.update();
	} else if (node === graph.root) {
		// The root stays where it is.
	} else if (action === 4) {
		node.position = random.vec3(-320, 320);
	} else if (action === 5) {
		node.rotation.rotateZ(random.number(-256, 256));
	} else if (action === 6) {
		node.scale = random.vec3(32, 96);
	} else if (action === 7) {
		node.rotation.setEuler(...random.vec3(-256, 256));
	} else {
		const parent = nodes[random.below(nodes.length)] as SceneNode;
		try {
			node.attach(parent);
		} catch {
			// A cycle is an error that changes nothing.
		}
	}
}
