// The processor time of three.js' `renderer.render` in headless Chromium, for the scene of `cargo bench -p pleach-wgpu --bench frame`.
// Needs no build of the package: three.js alone is measured. docs/benchmarks/gpu.md has both.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { launch, serve } from './chromium.mjs';
import { packageRoot } from './wasm.mjs';

const out = join(packageRoot, 'build/bench-render');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build({
	absWorkingDir: packageRoot,
	entryPoints: { page: 'scripts/bench-render-page.ts' },
	outdir: out,
	bundle: true,
	format: 'esm',
	target: 'es2022',
	logLevel: 'error',
});
writeFileSync(
	join(out, 'index.html'),
	'<!doctype html><title>render</title><script type="module" src="/page.js"></script>',
);
const server = await serve({ '/': out });
const browser = await launch();
try {
	const { page, errors } = await browser.open(`${server.url}/index.html`);
	await page.waitForFunction(() => globalThis.results !== undefined, undefined, { timeout: 600_000 });
	const { revision, results } = await page.evaluate(() => globalThis.results);
	console.log(`three.js r${revision}, Chromium; microseconds, median (minimum)`);
	for (const { frame, calls, median, minimum } of results)
		console.log(`${frame.padEnd(20)} ${calls} calls ${median.toFixed(0).padStart(8)} (${minimum.toFixed(0)})`);
	if (errors.length > 0) throw new Error(errors.join('\n'));
} finally {
	await browser.close();
	server.close();
}
