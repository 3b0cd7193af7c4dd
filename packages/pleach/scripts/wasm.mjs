// Builds the WebAssembly modules with their glue: cargo, web-bindgen. Without wasm-opt (docs/decisions/browser-boundary.md).
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const packageRoot = fileURLToPath(new URL('..', import.meta.url));
const workspace = join(packageRoot, '../..');
const target = process.env.CARGO_TARGET_DIR ?? join(workspace, 'target');
const simdFlags = '-C target-feature=+simd128';

/** The modules: which features they have, and whether with SIMD instructions. */
export const modules = [
	{ name: 'core', features: ['--no-default-features'], simd: true },
	{ name: 'pleach', features: [], simd: true },
	{ name: 'webgpu', features: ['--features=webgpu'], simd: true },
	{ name: 'core-nosimd', features: ['--no-default-features'], simd: false },
	{ name: 'pleach-nosimd', features: [], simd: false },
];

function run(command, args, env = {}) {
	execFileSync(command, args, { cwd: workspace, stdio: 'inherit', env: { ...process.env, ...env } });
}

/** Builds one module into `generated/`: NAME.js, NAME.d.ts, NAME_bg.wasm; the glue of modules without SIMD into `generated/nosimd/`. */
export function buildModule({ name, features: cargoFeatures, simd }) {
	const directory = join(target, simd ? 'web-simd' : 'web');
	run(
		'cargo',
		['build', '-p', 'pleach-web', '--profile', 'web', '--target', 'wasm32-unknown-unknown', ...cargoFeatures],
		{ CARGO_TARGET_DIR: directory, ...(simd ? { RUSTFLAGS: simdFlags } : {}) },
	);
	const bindgen = join(target, 'web-bindgen');
	run('cargo', ['build', '--manifest-path', 'tools/web-bindgen/Cargo.toml', '--target-dir', bindgen]);
	// The name of the module that imports come from stands in the module: both variants must have the same.
	const plain = name.replace('-nosimd', '');
	const generated = join(packageRoot, plain === name ? 'generated' : 'generated/nosimd');
	mkdirSync(generated, { recursive: true });
	const built = join(directory, 'wasm32-unknown-unknown/web/pleach_web.wasm');
	run(join(bindgen, 'debug/web-bindgen'), [built, plain, generated]);
	if (plain !== name) renameSync(join(generated, `${plain}_bg.wasm`), join(packageRoot, `generated/${name}_bg.wasm`));
}

/** Copies a module to `dist/`. Modules with and without SIMD must have the same glue: one is shipped. */
export function ship(name, out) {
	const generated = join(packageRoot, 'generated');
	copyFileSync(join(generated, `${name}_bg.wasm`), join(out, `${name}.wasm`));
	const plain = name.replace('-nosimd', '');
	if (plain === name || !existsSync(join(generated, `${plain}.js`))) return;
	const glue = (directory) => readFileSync(join(directory, `${plain}.js`), 'utf8');
	if (glue(generated) !== glue(join(generated, 'nosimd')))
		throw new Error(`the glue of ${name} differs from that of ${plain}`);
}
