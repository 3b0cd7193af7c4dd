// Runs the tests in node: each file of test/ is bundled with the sources. `node scripts/test.mjs NAME …` runs some.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { packageRoot } from './wasm.mjs';

const names = process.argv.slice(2);
execFileSync(process.execPath, [join(packageRoot, 'scripts/examples.mjs')], { stdio: 'inherit' });
const examples = readdirSync(join(packageRoot, 'test/generated')).map((file) => `generated/${file}`);
const files = [...readdirSync(join(packageRoot, 'test')), ...examples]
	.filter((file) => file.endsWith('.test.ts'))
	.filter((file) => names.length === 0 || names.some((name) => file.includes(name)));
if (files.length === 0) throw new Error(`no test is called ${names.join(' or ')}`);
const out = join(packageRoot, 'build/test');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build({
	absWorkingDir: packageRoot,
	// In one directory, because setup.ts reads the module relative to itself.
	entryPoints: Object.fromEntries(
		files.map((file) => [file.replace('generated/', 'example-').replace(/\.ts$/, ''), `test/${file}`]),
	),
	outdir: out,
	outExtension: { '.js': '.mjs' },
	bundle: true,
	format: 'esm',
	platform: 'node',
	target: 'node20',
	external: ['three', 'three/*'],
	sourcemap: 'inline',
	// setup.ts is imported for what it does.
	ignoreAnnotations: true,
	// The modules are read from generated/, not imported.
	plugins: [
		{
			name: 'no-inline',
			setup: (esbuild) => esbuild.onResolve({ filter: /^base64:/ }, ({ path }) => ({ path, external: true })),
		},
	],
});
const compiled = files.map((file) => join(out, file.replace('generated/', 'example-').replace(/\.ts$/, '.mjs')));
execFileSync(process.execPath, ['--enable-source-maps', '--test', '--test-reporter=spec', ...compiled], {
	stdio: 'inherit',
});
