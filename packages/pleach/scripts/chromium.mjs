// Headless Chromium with pages served from a directory on this machine.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { chromium } from 'playwright-core';

const TYPES = {
	'.html': 'text/html; charset=utf-8',
	'.js': 'text/javascript',
	'.mjs': 'text/javascript',
	'.css': 'text/css',
	'.wasm': 'application/wasm',
	'.json': 'application/json',
	'.glb': 'model/gltf-binary',
	'.gltf': 'model/gltf+json',
	'.png': 'image/png',
	'.svg': 'image/svg+xml',
};

/** Serves directories: `{ '/': root, '/assets/': other }`. Returns the address and a function that stops. */
export async function serve(directories, port = 0) {
	const prefixes = Object.keys(directories).sort((a, b) => b.length - a.length);
	const server = createServer((request, response) => {
		const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
		if (path === '/favicon.ico') return response.writeHead(204).end();
		const prefix = prefixes.find((each) => path.startsWith(each));
		const inside = normalize(path.slice(prefix.length)).replace(/^(\.\.(\/|$))+/, '');
		let file = join(directories[prefix], inside);
		try {
			if (statSync(file).isDirectory()) file = join(file, 'index.html');
			const body = readFileSync(file);
			response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(body);
		} catch {
			response.writeHead(404, { 'content-type': 'text/plain' }).end(`there is no ${path}`);
		}
	});
	await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
	return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/**
 * What WebGPU needs without a graphics card. Without the last two there is an adapter, but its process ends when it is used;
 * `--disable-vulkan-surface` and `--disable-gpu-compositing` have the same effect.
 */
export const WEBGPU_FLAGS = [
	'--use-gl=angle',
	'--use-angle=swiftshader',
	'--enable-unsafe-webgpu',
	'--use-webgpu-adapter=swiftshader',
	'--enable-features=Vulkan',
	'--use-vulkan=swiftshader',
];

/** Starts Chromium, with more flags; `close()` ends it and removes its profile. */
export async function launch(flags = []) {
	const profile = mkdtempSync(join(tmpdir(), 'pleach-chromium-'));
	const context = await chromium.launchPersistentContext(profile, {
		executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
		headless: true,
		viewport: { width: 960, height: 600 },
		args: [
			'--no-sandbox',
			'--disable-quic',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
			'--enable-unsafe-swiftshader',
			...flags,
		],
	});
	return {
		/** Opens a page; errors of the page are collected in `errors`. */
		async open(url) {
			const page = await context.newPage();
			const errors = [];
			page.on('pageerror', (error) => errors.push(String(error)));
			page.on('response', (response) => {
				if (response.status() >= 400) errors.push(`${response.url()}: ${response.status()}`);
			});
			page.on('console', (message) => {
				if (message.type() === 'error') errors.push(message.text());
			});
			await page.goto(url);
			return { page, errors };
		},
		async close() {
			await context.close();
			rmSync(profile, { recursive: true, force: true });
		},
	};
}
