// Builds dist/: WebAssembly modules, JavaScript entries that share one chunk, and types.
// `--modules=core,pleach` builds these alone (the others must exist or are left out), `--js` none.
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
for (const module of wanted) buildModule(module);

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
	webgpu: 'src/entries/webgpu.ts',
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
const { metafile } = await build({
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
	metafile: true,
});
execFileSync(join(packageRoot, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], {
	cwd: packageRoot,
	stdio: 'inherit',
});

// `npm pack` takes files of this directory alone.
for (const name of ['LICENSE-MIT', 'LICENSE-APACHE'])
	copyFileSync(join(packageRoot, '../..', name), join(packageRoot, name));

// The types of the runtime refer to those of the exports.
mkdirSync(join(dist, 'generated'));
for (const name of ['pleach', 'webgpu'])
	copyFileSync(join(packageRoot, `generated/${name}.d.ts`), join(dist, `generated/${name}.d.ts`));

/** Returns the files that an entry loads: itself and its chunks. */
function closure(file, files = new Set()) {
	if (files.has(file)) return files;
	files.add(file);
	for (const { path, external } of metafile.outputs[file].imports) if (!external) closure(path, files);
	return files;
}

const sizes = {};
for (const name of built) sizes[`${name}.wasm`] = [join(dist, `${name}.wasm`)];
for (const [name] of available)
	sizes[`${name}.js`] = [...closure(`dist/${name}.js`)].map((file) => join(packageRoot, file));
for (const [name, files] of Object.entries(sizes)) {
	const contents = files.map((file) => readFileSync(file));
	const bytes = contents.reduce((sum, content) => sum + content.length, 0);
	const gzip = contents.reduce((sum, content) => sum + gzipSync(content, { level: 9 }).length, 0);
	sizes[name] = { bytes, gzip };
	console.log(`${name.padEnd(22)} ${String(bytes).padStart(9)} bytes ${String(gzip).padStart(8)} gzip`);
}
writeFileSync(join(packageRoot, 'build/sizes.json'), `${JSON.stringify(sizes, null, '\t')}\n`);
