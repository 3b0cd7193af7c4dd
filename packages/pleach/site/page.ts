/** What all pages share: loading, elements by id, frames, and a camera that the pointer and the keys move. */
import { type Camera, init, type SceneNode } from 'pleach';

/** Returns the element with an id. */
export function element<T extends HTMLElement = HTMLElement>(id: string): T {
	const found = document.getElementById(id);
	if (found === null) throw new Error(`the page has no element '${id}'`);
	return found as T;
}

/** Writes a text to an element. */
export function show(id: string, text: string | number): void {
	const target = element(id);
	const value = String(text);
	if (target.textContent !== value) target.textContent = value;
}

/** Returns milliseconds with three digits: '0.123 ms'. */
export function milliseconds(value: number): string {
	return `${value.toPrecision(3)} ms`;
}

/** Loads pleach, from another module if one is given, and runs the page. `data-state` of the document is 'ready' or 'failed' afterwards. */
export async function start(main: () => void | Promise<void>, module?: URL): Promise<void> {
	const root = document.documentElement;
	try {
		await init(module);
		await main();
		root.dataset.state = 'ready';
	} catch (error) {
		root.dataset.state = 'failed';
		const status = document.getElementById('status');
		if (status !== null) status.textContent = error instanceof Error ? error.message : String(error);
		throw error;
	}
}

/** Fits the canvas to its place on the page, and returns its size in pixels. */
export function fit(canvas: HTMLCanvasElement): { width: number; height: number } {
	const ratio = Math.min(devicePixelRatio, 2);
	const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
	const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
	if (canvas.width !== width || canvas.height !== height) {
		canvas.width = width;
		canvas.height = height;
	}
	return { width, height };
}

/** Calls `frame` with the seconds since the last one, while the page is shown. */
export function everyFrame(frame: (seconds: number) => void): void {
	let last = performance.now();
	const next = (now: number) => {
		// A long pause, such as that of a hidden tab, is not made up for.
		frame(Math.min((now - last) / 1000, 0.1));
		last = now;
		requestAnimationFrame(next);
	};
	requestAnimationFrame(next);
}

/** A button that stops and continues time. Time stands still at first if the user prefers reduced motion. */
export class Clock {
	isRunning = !matchMedia('(prefers-reduced-motion: reduce)').matches;
	private readonly button: HTMLButtonElement;

	constructor(id: string) {
		this.button = element(id);
		this.button.addEventListener('click', () => {
			this.isRunning = !this.isRunning;
			this.label();
		});
		this.label();
	}

	/** Returns the seconds, or 0 while time stands still. */
	advance(seconds: number): number {
		return this.isRunning ? seconds : 0;
	}

	private label(): void {
		this.button.textContent = this.isRunning ? 'Pause' : 'Continue';
	}
}

/** The mean of the last values. */
export class Mean {
	private readonly values: number[] = [];

	add(value: number): void {
		this.values.push(value);
		if (this.values.length > 60) this.values.shift();
	}

	get value(): number {
		return this.values.reduce((sum, value) => sum + value, 0) / Math.max(1, this.values.length);
	}
}

/** Moves a camera around a point: drag, wheel, arrow keys, plus and minus. */
export class Orbit {
	target: [number, number, number] = [0, 0, 0];
	/** `true` if the last press of the pointer was a drag, not a click. */
	wasDragged = false;

	constructor(
		private readonly canvas: HTMLCanvasElement,
		private camera: Camera | null,
		public distance: number,
		public azimuth = 0.6,
		public elevation = 0.5,
	) {
		canvas.tabIndex = 0;
		canvas.addEventListener('pointerdown', (event) => {
			this.wasDragged = false;
			canvas.setPointerCapture(event.pointerId);
		});
		canvas.addEventListener('pointermove', (event) => {
			if (!canvas.hasPointerCapture(event.pointerId)) return;
			if (Math.abs(event.movementX) + Math.abs(event.movementY) > 1) this.wasDragged = true;
			if (this.wasDragged) this.turn(-event.movementX * 0.008, event.movementY * 0.008);
		});
		canvas.addEventListener(
			'wheel',
			(event) => {
				event.preventDefault();
				this.distance *= Math.exp(event.deltaY * 0.001);
			},
			{ passive: false },
		);
		canvas.addEventListener('keydown', (event) => {
			const step = 0.08;
			if (event.key === 'ArrowLeft') this.turn(-step, 0);
			else if (event.key === 'ArrowRight') this.turn(step, 0);
			else if (event.key === 'ArrowUp') this.turn(0, step);
			else if (event.key === 'ArrowDown') this.turn(0, -step);
			else if (event.key === '+') this.distance *= 0.9;
			else if (event.key === '-') this.distance /= 0.9;
			else return;
			event.preventDefault();
		});
	}

	private turn(azimuth: number, elevation: number): void {
		this.azimuth += azimuth;
		this.elevation = Math.max(-1.5, Math.min(1.5, this.elevation + elevation));
	}

	/** Moves another camera from now on. */
	use(camera: Camera): void {
		this.camera = camera;
	}

	/** Near and far planes that suit the distance. */
	get lens(): { near: number; far: number } {
		return { near: this.distance / 200, far: this.distance * 20 };
	}

	/** Points the camera at the centre of a node's bounds, and moves it back until all of it is in a view of this angle. */
	frame(node: SceneNode, fov: number): void {
		const bounds = node.getSubtreeBounds();
		if (bounds === null) return;
		const [x0, y0, z0, x1, y1, z1] = bounds as unknown as [number, number, number, number, number, number];
		this.target = [(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2];
		const radius = Math.hypot(x1 - x0, y1 - y0, z1 - z0) / 2 || 1;
		this.distance = (radius * 0.9) / Math.sin(fov / 2);
	}

	/** Moves the camera. */
	apply(): void {
		if (this.camera === null) return;
		const across = this.distance * Math.cos(this.elevation);
		const along = [across * Math.sin(this.azimuth), across * Math.cos(this.azimuth)] as const;
		const up = this.distance * Math.sin(this.elevation);
		const [x, y, z] = this.target;
		if (this.camera.scene.up === 'z') this.camera.position.set(x + along[0], y - along[1], z + up);
		else this.camera.position.set(x + along[0], y + up, z + along[1]);
		this.camera.lookAt(this.target);
	}

	/** Returns where the pointer is on the canvas, in pixels. */
	pixel(event: MouseEvent): [number, number] {
		const box = this.canvas.getBoundingClientRect();
		const x = ((event.clientX - box.left) / box.width) * this.canvas.width;
		const y = ((event.clientY - box.top) / box.height) * this.canvas.height;
		return [x, y];
	}
}
