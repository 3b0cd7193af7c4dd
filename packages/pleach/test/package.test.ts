/** What `npm pack` puts into the package, of what `npm run build` wrote. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the package has the licenses, and the files that its exports name', () => {
	const description = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
		cwd: root,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const files = new Set((JSON.parse(listed)[0].files as { path: string }[]).map(({ path }) => path));
	const targets = Object.values(description.exports as Record<string, string | Record<string, string>>).flatMap(
		(target) => (typeof target === 'string' ? [target] : Object.values(target)),
	);
	const expected = ['LICENSE-MIT', 'LICENSE-APACHE', 'README.md', ...targets.map((path) => path.replace('./', ''))];
	assert.deepEqual(
		expected.filter((path) => !files.has(path)),
		[],
	);
});
