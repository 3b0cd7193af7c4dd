// Builds dist/: WebAssembly modules, JavaScript entries that share one chunk, and types.
// `--modules=core,pleach` builds these alone (the others must exist or are left out), `--js` none, `--quick` skips wasm-opt.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { buildModule, modules, packageRoot, ship } from './wasm.mjs';

const options = process.argv.slice(2);
const only = options
	.find((option) => option.startsWith('--modules='))
	?.slice(10)
	.split(',');
const wanted = options.includes('--js') ? [] : modules.filter(({ name }) => only === undefined || only.includes(name));
for (const module of wanted) buildModule(module, { optimize: !options.includes('--quick') });

const dist = join(packageRoot, 'dist');
rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
mkdirSync(join(packageRoot, 'build'), { recursive: true });
const built = modules
	.map(({ name }) => name)
	.filter((name) => existsSync(join(packageRoot, `generated/${name}_bg.wasm`)));
for (const name of built) ship(name, dist);

const entries = {
	core: 'src/entries/core.ts',
	index: 'src/entries/index.ts',
	node: 'src/entries/node.ts',
	inline: 'src/entries/inline.ts',
	three: 'src/three/index.ts',
};
const available = Object.entries(entries).filter(([, path]) => existsSync(join(packageRoot, path)));
/** `import bytes from 'base64:pleach'`: the module as text. */
const inlineModule = {
	name: 'inline-module',
	setup(esbuild) {
		esbuild.onResolve({ filter: /^base64:/ }, ({ path }) => ({ path: path.slice(7), namespace: 'base64' }));
		esbuild.onLoad({ filter: /.*/, namespace: 'base64' }, ({ path }) => {
			const bytes = readFileSync(join(dist, `${path}.wasm`));
			return { contents: `export default ${JSON.stringify(bytes.toString('base64'))}`, loader: 'js' };
		});
	},
};
await build({
	absWorkingDir: packageRoot,
	entryPoints: Object.fromEntries(available),
	outdir: 'dist',
	bundle: true,
	splitting: true,
	format: 'esm',
	target: 'es2022',
	platform: 'neutral',
	minify: true,
	keepNames: false,
	legalComments: 'none',
	// Beside the modules, which `new URL('./pleach.wasm', import.meta.url)` finds.
	chunkNames: '[name]-[hash]',
	external: ['three', 'three/*', 'node:*'],
	plugins: [inlineModule],
	sourcemap: true,
	sourcesContent: true,
});
execFileSync(join(packageRoot, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], {
	cwd: packageRoot,
	stdio: 'inherit',
});

// The types of the runtime refer to those of the exports.
mkdirSync(join(dist, 'generated'));
copyFileSync(join(packageRoot, 'generated/pleach.d.ts'), join(dist, 'generated/pleach.d.ts'));

const sizes = {};
for (const name of [...built.map((each) => `${each}.wasm`), ...available.map(([name]) => `${name}.js`)]) {
	const bytes = readFileSync(join(dist, name));
	sizes[name] = { bytes: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
}
writeFileSync(join(packageRoot, 'build/sizes.json'), `${JSON.stringify(sizes, null, '\t')}\n`, { flag: 'w' });
for (const [name, { bytes, gzip }] of Object.entries(sizes))
	console.log(`${name.padEnd(22)} ${String(bytes).padStart(9)} bytes ${String(gzip).padStart(8)} gzip`);
