// Renders a scene in headless Chromium with three.js alone, with a bridge of `pleach/three`, and flat: the pictures must be equal.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { launch, serve } from './chromium.mjs';
import { packageRoot } from './wasm.mjs';

const out = join(packageRoot, 'build/three-pixels');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build({
	absWorkingDir: packageRoot,
	entryPoints: { page: 'test/browser/three-pixels.ts' },
	outdir: out,
	bundle: true,
	format: 'esm',
	target: 'es2022',
	logLevel: 'error',
});
copyFileSync(join(packageRoot, 'generated/pleach_bg.wasm'), join(out, 'pleach.wasm'));
writeFileSync(
	join(out, 'index.html'),
	'<!doctype html><title>pixels</title><script type="module" src="/page.js"></script>',
);
const server = await serve({ '/': out });
const browser = await launch();
let failed = false;
try {
	const { page, errors } = await browser.open(`${server.url}/index.html`);
	await page.waitForFunction(() => globalThis.results !== undefined, undefined, { timeout: 60_000 });
	const results = await page.evaluate(() => globalThis.results);
	await page.screenshot({ path: join(out, 'last-frame.png') });
	for (const { frame, tree, flat, lit, draws, flatDraws } of results) {
		console.log(`frame ${frame}: ${tree} pixels differ, ${flat} flat; ${draws} draws, ${flatDraws} flat; ${lit} lit`);
		// Edges may move by a pixel, because matrices have 32 bits.
		if (tree > 40 || flat > 40 || lit < 10_000) failed = true;
	}
	if (errors.length > 0) {
		console.log(errors.join('\n'));
		failed = true;
	}
} finally {
	await browser.close();
	server.close();
}
if (failed) {
	console.log('FAILED: the pictures differ');
	process.exitCode = 1;
}
