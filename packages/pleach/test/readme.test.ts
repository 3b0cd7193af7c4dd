/**
 * The programs of README.md and docs/*.md run, and print what the comments beside `console.log` show.
 *
 * Blocks of `js` of one document are one program. The first of the README also runs alone: it is what people paste. They import the built
 * package (`npm run build`). Blocks of `js browser` are only parsed, since they continue a page.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const out = join(root, 'build/programs');
const documents = ['README.md', ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`)];

/** Returns the code blocks with their info strings. */
function blocks(text: string): { info: string; code: string }[] {
	return [...text.matchAll(/^( *)```(\w[^\n]*)\n([\s\S]*?)^\1```/gm)].map(([, indent, info, code]) => {
		const lines = (code as string).split('\n').map((line) => line.slice((indent as string).length));
		return { info: (info as string).trim(), code: lines.join('\n') };
	});
}

/** Runs a program in a process of its own, inside of the package, which it imports by name. */
function run(name: string, program: string): void {
	assert.ok(existsSync(join(root, 'dist/node.js')), 'dist/ is missing: run `npm run build` first');
	mkdirSync(out, { recursive: true });
	const file = join(out, `${name}.mjs`);
	writeFileSync(file, program);
	const expected = [...program.matchAll(/^\s*console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
	assert.ok(expected.length > 0, 'a program prints something');
	assert.equal((program.match(/console\.log\(/g) ?? []).length, expected.length, 'each console.log has a comment');
	const printed = execFileSync(process.execPath, [file], { encoding: 'utf8' }).trimEnd().split('\n');
	assert.deepEqual(printed, expected);
}

for (const document of documents) {
	const programs = blocks(readFileSync(join(root, document), 'utf8'));
	const runnable = programs.filter(({ info }) => info === 'js').map(({ code }) => code);
	test(`${document}: ${runnable.length} blocks`, () => {
		run(document.replaceAll(/\W/g, '-'), runnable.join('\n'));
		for (const { info } of programs) assert.match(info, /^(js|js browser|js bundler|sh)$/, 'an unknown kind of block');
	});
}

test('the first example of the README runs when it is pasted', () => {
	const [first] = blocks(readFileSync(join(root, 'README.md'), 'utf8')).filter(({ info }) => info === 'js');
	run('first', (first as { code: string }).code);
});
