/**
 * A small WebGL2 renderer that is fed by a render list: nodes that share geometry and material are one instanced draw, and skins read
 * `scene.palettes` from a texture. It has base colours, one light and no shadows; morph targets are not drawn.
 */
import type { Camera, Draws, Geometry, Material, Scene, Texture } from 'pleach';

const VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) in uvec4 joints;
layout(location = 4) in vec4 weights;
layout(location = 5) in vec4 color;
layout(location = 6) in mat4 world;
layout(location = 10) in uint palette;
uniform mat4 viewProjection;
uniform highp sampler2D palettes;
out vec3 vPoint;
out vec3 vNormal;
out vec2 vUv;
out vec4 vColor;
mat4 jointMatrix(uint joint) {
	int first = int(palette + joint) * 4;
	ivec2 at = ivec2(first % 1024, first / 1024);
	return mat4(
		texelFetch(palettes, at, 0), texelFetch(palettes, at + ivec2(1, 0), 0),
		texelFetch(palettes, at + ivec2(2, 0), 0), texelFetch(palettes, at + ivec2(3, 0), 0));
}
void main() {
	mat4 matrix = world;
	if (palette != 0xffffffffu) {
		matrix = weights.x * jointMatrix(joints.x) + weights.y * jointMatrix(joints.y)
			+ weights.z * jointMatrix(joints.z) + weights.w * jointMatrix(joints.w);
	}
	vec4 point = matrix * vec4(position, 1.0);
	vPoint = point.xyz;
	mat3 m = mat3(matrix);
	// The cofactors are the inverse transpose, times the determinant.
	vNormal = mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])) * normal * sign(determinant(m));
	vUv = uv;
	vColor = color;
	gl_Position = viewProjection * point;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 vPoint;
in vec3 vNormal;
in vec2 vUv;
in vec4 vColor;
uniform vec4 baseColor;
uniform vec3 emissive;
uniform float cutoff;
uniform bool unlit;
uniform bool hasNormals;
uniform bool hasTexture;
uniform sampler2D baseTexture;
uniform mat3 uvMatrix;
uniform vec4 light;
uniform vec3 eye;
uniform vec3 up;
uniform float ambient;
out vec4 fragment;
void main() {
	vec4 base = baseColor * vColor;
	if (hasTexture) base *= texture(baseTexture, (uvMatrix * vec3(vUv, 1.0)).xy);
	if (base.a < cutoff) discard;
	vec3 n = normalize(hasNormals ? vNormal : cross(dFdx(vPoint), dFdy(vPoint)));
	vec3 view = normalize(eye - vPoint);
	if (dot(n, view) < 0.0 && !hasNormals) n = -n;
	vec3 l = normalize(light.w == 0.0 ? light.xyz : light.xyz - vPoint);
	float diffuse = max(dot(n, l), 0.0);
	float sky = ambient * (0.75 + 0.25 * dot(n, up));
	float shine = 0.12 * pow(max(dot(n, normalize(l + view)), 0.0), 40.0);
	vec3 shaded = unlit ? base.rgb : base.rgb * (sky + diffuse) + shine;
	vec3 linear = clamp(shaded + emissive, 0.0, 1.0);
	vec3 encoded = mix(linear * 12.92, 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, linear));
	fragment = vec4(encoded, base.a);
}`;

interface GpuGeometry {
	readonly geometry: Geometry;
	version: number;
	readonly vao: WebGLVertexArrayObject;
	buffers: WebGLBuffer[];
	mode: number;
	vertices: number;
	indices: number;
	hasNormals: boolean;
}

interface GpuMaterial {
	readonly material: Material;
	version: number;
	color: readonly [number, number, number, number];
	emissive: readonly number[];
	cutoff: number;
	unlit: boolean;
	doubleSided: boolean;
	texture: WebGLTexture | null;
	uvMatrix: Float32Array;
}

/** What a frame was drawn with. */
export interface FrameReport {
	/** Nodes in view. */
	readonly nodes: number;
	/** Calls of the graphics interface. */
	readonly draws: number;
	readonly triangles: number;
	/** Milliseconds for culling and sorting. */
	readonly list: number;
	/** Milliseconds for issuing the draws. */
	readonly submit: number;
}

/** How a frame is lit. */
export interface Lighting {
	/** The position of the light, or with `w` 0 the direction to it. */
	readonly light: readonly [number, number, number, number];
	readonly ambient: number;
	/** Linear. */
	readonly background: readonly [number, number, number];
}

const NONE = 0xffffffff;
const FLIPPED = 1;

/** Draws scenes on a canvas. */
export class Renderer {
	private readonly gl: WebGL2RenderingContext;
	private readonly uniforms = new Map<string, WebGLUniformLocation | null>();
	private readonly geometries = new Map<number, GpuGeometry>();
	private readonly materials = new Map<number, GpuMaterial>();
	private readonly matrixBuffer: WebGLBuffer;
	private readonly paletteBuffer: WebGLBuffer;
	private readonly paletteTexture: WebGLTexture;
	private matrices = new Float32Array(16 * 256);
	private palettes = new Uint32Array(256);
	private paletteData = new Float32Array(4096);
	private triangles = 0;
	private draws = 0;

	/** `bitmap` decodes the image of a texture; without it, textures are left out. */
	constructor(
		canvas: HTMLCanvasElement,
		private readonly bitmap?: (texture: Texture) => Promise<ImageBitmap>,
	) {
		const gl = canvas.getContext('webgl2', { antialias: true, powerPreference: 'low-power' });
		if (gl === null) throw new Error('this browser has no WebGL2, which the picture needs');
		this.gl = gl;
		const program = gl.createProgram();
		for (const [type, source] of [
			[gl.VERTEX_SHADER, VERTEX],
			[gl.FRAGMENT_SHADER, FRAGMENT],
		] as const) {
			const shader = gl.createShader(type) as WebGLShader;
			gl.shaderSource(shader, source);
			gl.compileShader(shader);
			gl.attachShader(program, shader);
			if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? 'shader');
		}
		gl.linkProgram(program);
		if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? 'program');
		gl.useProgram(program);
		const count: number = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
		for (let i = 0; i < count; i++) {
			const name = gl.getActiveUniform(program, i)?.name ?? '';
			this.uniforms.set(name, gl.getUniformLocation(program, name));
		}
		this.matrixBuffer = gl.createBuffer();
		this.paletteBuffer = gl.createBuffer();
		this.paletteTexture = gl.createTexture();
		gl.uniform1i(this.uniform('palettes'), 1);
		gl.uniform1i(this.uniform('baseTexture'), 0);
		gl.bindTexture(gl.TEXTURE_2D, this.paletteTexture);
		gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
		gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
	}

	/** Draws what a camera sees, and returns what that took. */
	draw(scene: Scene, camera: Camera, size: { width: number; height: number }, lighting: Lighting): FrameReport {
		const { gl } = this;
		const started = performance.now();
		const list = scene.renderList(camera, size);
		const listed = performance.now();
		this.freeUnused(scene);
		this.draws = 0;
		this.triangles = 0;

		const view = scene.view(camera, size);
		gl.viewport(0, 0, size.width, size.height);
		const [r, g, b] = lighting.background;
		const encode = (x: number) => (x <= 0.0031308 ? x * 12.92 : 1.055 * x ** (1 / 2.4) - 0.055);
		gl.clearColor(encode(r), encode(g), encode(b), 1);
		gl.depthMask(true);
		gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
		gl.enable(gl.DEPTH_TEST);
		gl.uniformMatrix4fv(this.uniform('viewProjection'), false, view.viewProjectionMatrix);
		gl.uniform4fv(this.uniform('light'), lighting.light);
		gl.uniform1f(this.uniform('ambient'), lighting.ambient);
		gl.uniform3fv(this.uniform('eye'), camera.getWorldPosition());
		gl.uniform3fv(this.uniform('up'), scene.up === 'z' ? [0, 0, 1] : [0, 1, 0]);
		this.uploadPalettes(scene);

		const { opaque, transparent } = list;
		const nodes = opaque.length + transparent.length;
		gl.disable(gl.BLEND);
		this.drawRows(scene, opaque, list.batches.slice(), list.instances.slice());
		if (transparent.length > 0) {
			gl.enable(gl.BLEND);
			gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
			gl.depthMask(false);
			const single = Uint32Array.from({ length: transparent.length * 2 }, (_, i) => (i + 1) >> 1);
			this.drawRows(scene, transparent, single, list.instances.slice());
			gl.depthMask(true);
		}
		gl.bindVertexArray(null);
		const { draws, triangles } = this;
		return { nodes, draws, triangles, list: listed - started, submit: performance.now() - listed };
	}

	private drawRows(scene: Scene, rows: Draws, batches: Uint32Array, instanceNumbers: Uint32Array): void {
		const { gl } = this;
		// The columns are views, valid until the next method call: what follows calls methods.
		const slots = rows.slot.slice();
		const geometries = rows.geometry.slice();
		const materials = rows.material.slice();
		const groups = rows.group.slice();
		const flags = rows.flags.slice();
		const instances = rows.instances.slice();
		const palettes = rows.palette.slice();
		if (this.palettes.length < slots.length) {
			this.palettes = new Uint32Array(slots.length * 2);
			this.matrices = new Float32Array(slots.length * 32);
		}
		const worldMatrices = scene.worldMatrices;
		for (let row = 0; row < slots.length; row++) {
			const from = (slots[row] as number) * 16;
			const to = row * 16;
			for (let i = 0; i < 16; i++) this.matrices[to + i] = worldMatrices[from + i] as number;
		}
		this.uploadRows(this.matrices.subarray(0, slots.length * 16), palettes);

		for (let batch = 0; batch < batches.length; batch += 2) {
			const first = batches[batch] as number;
			const end = batches[batch + 1] as number;
			const geometry = this.gpuGeometry(scene, geometries[first] as number);
			this.useMaterial(scene, materials[first] as number);
			if (geometry === null) continue;
			gl.frontFace(((flags[first] as number) & FLIPPED) !== 0 ? gl.CW : gl.CCW);
			gl.bindVertexArray(geometry.vao);
			gl.uniform1i(this.uniform('hasNormals'), geometry.hasNormals ? 1 : 0);
			const range = [groups[first * 2] as number, groups[first * 2 + 1] as number] as const;
			const from = instances[first * 2] as number;
			const until = instances[first * 2 + 1] as number;
			if (from !== until) {
				for (let row = first; row < end; row++) {
					const numbers = instanceNumbers.subarray(instances[row * 2], instances[row * 2 + 1]);
					this.drawInstances(scene, slots[row] as number, geometry, range, numbers);
				}
				this.uploadRows(this.matrices.subarray(0, slots.length * 16), palettes);
				continue;
			}
			this.pointAtRow(first);
			this.issue(geometry, range, end - first);
		}
	}

	/** Draws the instances of one node with matrices of their own. */
	private drawInstances(
		scene: Scene,
		slot: number,
		geometry: GpuGeometry,
		range: readonly [number, number],
		numbers: Uint32Array,
	): void {
		const node = scene.nodesAt(Uint32Array.of(slot))[0];
		const own = node?.has('mesh') === true ? node.instances : null;
		if (node === undefined || own === null) return;
		const world = node.worldMatrix;
		const matrices = new Float32Array(numbers.length * 16);
		numbers.forEach((number, i) => {
			for (let column = 0; column < 4; column++) {
				for (let row = 0; row < 4; row++) {
					let sum = 0;
					for (let k = 0; k < 4; k++) {
						sum += (world[k * 4 + row] as number) * (own[number * 16 + column * 4 + k] as number);
					}
					matrices[i * 16 + column * 4 + row] = sum;
				}
			}
		});
		this.uploadRows(matrices, new Uint32Array(numbers.length).fill(NONE));
		this.pointAtRow(0);
		this.issue(geometry, range, numbers.length);
	}

	private issue(geometry: GpuGeometry, [start, end]: readonly [number, number], instances: number): void {
		const { gl } = this;
		const all = geometry.indices || geometry.vertices;
		const from = start === NONE ? 0 : start;
		const count = (end === NONE ? all : end) - from;
		if (geometry.indices > 0) {
			gl.drawElementsInstanced(geometry.mode, count, gl.UNSIGNED_INT, from * 4, instances);
		} else {
			gl.drawArraysInstanced(geometry.mode, from, count, instances);
		}
		this.draws += 1;
		if (geometry.mode === gl.TRIANGLES) this.triangles += (count / 3) * instances;
	}

	private uploadRows(matrices: Float32Array, palettes: Uint32Array): void {
		const { gl } = this;
		gl.bindBuffer(gl.ARRAY_BUFFER, this.matrixBuffer);
		gl.bufferData(gl.ARRAY_BUFFER, matrices, gl.STREAM_DRAW);
		gl.bindBuffer(gl.ARRAY_BUFFER, this.paletteBuffer);
		gl.bufferData(gl.ARRAY_BUFFER, palettes, gl.STREAM_DRAW);
	}

	private pointAtRow(row: number): void {
		const { gl } = this;
		gl.bindBuffer(gl.ARRAY_BUFFER, this.matrixBuffer);
		for (let column = 0; column < 4; column++) {
			gl.enableVertexAttribArray(6 + column);
			gl.vertexAttribPointer(6 + column, 4, gl.FLOAT, false, 64, row * 64 + column * 16);
			gl.vertexAttribDivisor(6 + column, 1);
		}
		gl.bindBuffer(gl.ARRAY_BUFFER, this.paletteBuffer);
		gl.enableVertexAttribArray(10);
		gl.vertexAttribIPointer(10, 1, gl.UNSIGNED_INT, 4, row * 4);
		gl.vertexAttribDivisor(10, 1);
	}

	/** Joint matrices as a texture: 256 matrices per row. */
	private uploadPalettes(scene: Scene): void {
		const { gl } = this;
		const values = scene.palettes;
		const rows = Math.max(1, Math.ceil(values.length / 4096));
		if (this.paletteData.length !== rows * 4096) this.paletteData = new Float32Array(rows * 4096);
		this.paletteData.set(values);
		gl.activeTexture(gl.TEXTURE1);
		gl.bindTexture(gl.TEXTURE_2D, this.paletteTexture);
		gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 1024, rows, 0, gl.RGBA, gl.FLOAT, this.paletteData);
		gl.activeTexture(gl.TEXTURE0);
	}

	private gpuGeometry(scene: Scene, id: number): GpuGeometry | null {
		const { gl } = this;
		let gpu = this.geometries.get(id);
		if (gpu === undefined) {
			const geometry = scene.geometry(id);
			if (geometry === null) return null;
			const vao = gl.createVertexArray();
			gpu = { geometry, version: -1, vao, buffers: [], mode: 0, vertices: 0, indices: 0, hasNormals: false };
			this.geometries.set(id, gpu);
		}
		if (gpu.version !== gpu.geometry.version) this.uploadGeometry(gpu);
		return gpu;
	}

	private uploadGeometry(gpu: GpuGeometry): void {
		const { gl } = this;
		const { geometry } = gpu;
		for (const buffer of gpu.buffers) gl.deleteBuffer(buffer);
		gpu.buffers = [];
		gl.bindVertexArray(gpu.vao);
		const attribute = (
			location: number,
			size: number,
			values: Float32Array,
			fallback: [number, number, number, number],
		) => {
			if (values.length === 0) {
				gl.disableVertexAttribArray(location);
				gl.vertexAttrib4fv(location, fallback);
				return;
			}
			gl.bindBuffer(gl.ARRAY_BUFFER, this.newBuffer(gpu));
			gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
			gl.enableVertexAttribArray(location);
			gl.vertexAttribPointer(location, size, gl.FLOAT, false, 0, 0);
		};
		gpu.vertices = geometry.positions.length / 3;
		gpu.hasNormals = geometry.normals.length > 0;
		attribute(0, 3, geometry.positions, [0, 0, 0, 1]);
		attribute(1, 3, geometry.normals, [0, 0, 1, 0]);
		attribute(2, 2, geometry.uvs, [0, 0, 0, 0]);
		attribute(4, 4, geometry.weights, [0, 0, 0, 0]);
		attribute(5, 4, geometry.colors, [1, 1, 1, 1]);
		const joints = geometry.joints;
		if (joints.length > 0) {
			gl.bindBuffer(gl.ARRAY_BUFFER, this.newBuffer(gpu));
			gl.bufferData(gl.ARRAY_BUFFER, joints, gl.STATIC_DRAW);
			gl.enableVertexAttribArray(3);
			gl.vertexAttribIPointer(3, 4, gl.UNSIGNED_SHORT, 0, 0);
		} else {
			gl.disableVertexAttribArray(3);
			gl.vertexAttribI4ui(3, 0, 0, 0, 0);
		}
		const indices = geometry.indices;
		gpu.indices = indices?.length ?? 0;
		if (indices !== null) {
			gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.newBuffer(gpu));
			gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
		}
		const topologies = {
			points: gl.POINTS,
			lines: gl.LINES,
			'line-loop': gl.LINE_LOOP,
			'line-strip': gl.LINE_STRIP,
			triangles: gl.TRIANGLES,
			'triangle-strip': gl.TRIANGLE_STRIP,
			'triangle-fan': gl.TRIANGLE_FAN,
		};
		gpu.mode = topologies[geometry.topology];
		gpu.version = geometry.version;
	}

	private newBuffer(gpu: GpuGeometry): WebGLBuffer {
		const buffer = this.gl.createBuffer();
		gpu.buffers.push(buffer);
		return buffer;
	}

	private useMaterial(scene: Scene, id: number): void {
		const { gl } = this;
		let gpu = this.materials.get(id);
		if (gpu === undefined) {
			const material = scene.material(id);
			if (material === null) return;
			gpu = {
				material,
				version: -1,
				color: [1, 1, 1, 1],
				emissive: [0, 0, 0],
				cutoff: 0,
				unlit: false,
				doubleSided: false,
				texture: null,
				uvMatrix: Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
			};
			this.materials.set(id, gpu);
		}
		if (gpu.version !== gpu.material.version) this.readMaterial(gpu);
		gl.uniform4fv(this.uniform('baseColor'), gpu.color);
		gl.uniform3fv(this.uniform('emissive'), gpu.emissive);
		gl.uniform1f(this.uniform('cutoff'), gpu.cutoff);
		gl.uniform1i(this.uniform('unlit'), gpu.unlit ? 1 : 0);
		gl.uniform1i(this.uniform('hasTexture'), gpu.texture === null ? 0 : 1);
		if (gpu.texture !== null) {
			gl.bindTexture(gl.TEXTURE_2D, gpu.texture);
			gl.uniformMatrix3fv(this.uniform('uvMatrix'), false, gpu.uvMatrix);
		}
		if (gpu.doubleSided) gl.disable(gl.CULL_FACE);
		else gl.enable(gl.CULL_FACE);
	}

	private readMaterial(gpu: GpuMaterial): void {
		const { material } = gpu;
		gpu.version = material.version;
		gpu.color = [...material.color, material.opacity];
		gpu.emissive = [...material.emissive];
		gpu.cutoff = material.alphaMode === 'mask' ? material.alphaCutoff : 0;
		gpu.unlit = material.unlit;
		gpu.doubleSided = material.doubleSided;
		const texture = material.colorTexture;
		if (texture === null || this.bitmap === undefined) return;
		if (texture.transform !== null) {
			const { offset, rotation, scale } = texture.transform;
			const [c, s] = [Math.cos(rotation), Math.sin(rotation)];
			gpu.uvMatrix = Float32Array.of(
				c * scale[0],
				-s * scale[0],
				0,
				s * scale[1],
				c * scale[1],
				0,
				offset[0],
				offset[1],
				1,
			);
		}
		this.bitmap(texture).then(
			(bitmap) => {
				gpu.texture = this.upload(bitmap, texture);
			},
			(error: unknown) => console.warn('a texture is left out:', error),
		);
	}

	private upload(bitmap: ImageBitmap, texture: Texture): WebGLTexture {
		const { gl } = this;
		const wraps = { repeat: gl.REPEAT, 'mirrored-repeat': gl.MIRRORED_REPEAT, 'clamp-to-edge': gl.CLAMP_TO_EDGE };
		const uploaded = gl.createTexture();
		gl.bindTexture(gl.TEXTURE_2D, uploaded);
		gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
		gl.generateMipmap(gl.TEXTURE_2D);
		const wrap = (name: string) => (wraps as Record<string, number>)[name] ?? gl.REPEAT;
		gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, wrap(texture.wrapU));
		gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, wrap(texture.wrapV));
		gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
		bitmap.close();
		return uploaded;
	}

	private freeUnused(scene: Scene): void {
		for (const { kind, id } of scene.drainUnused()) {
			if (kind === 'geometry') {
				const gpu = this.geometries.get(id);
				if (gpu === undefined) continue;
				for (const buffer of gpu.buffers) this.gl.deleteBuffer(buffer);
				this.gl.deleteVertexArray(gpu.vao);
				this.geometries.delete(id);
			} else if (kind === 'material') {
				const gpu = this.materials.get(id);
				if (gpu?.texture) this.gl.deleteTexture(gpu.texture);
				this.materials.delete(id);
			}
		}
	}

	/** Forgets everything that was uploaded: for another scene. */
	clear(): void {
		for (const gpu of this.geometries.values()) {
			for (const buffer of gpu.buffers) this.gl.deleteBuffer(buffer);
			this.gl.deleteVertexArray(gpu.vao);
		}
		for (const gpu of this.materials.values()) if (gpu.texture) this.gl.deleteTexture(gpu.texture);
		this.geometries.clear();
		this.materials.clear();
	}

	private uniform(name: string): WebGLUniformLocation | null {
		return this.uniforms.get(name) ?? null;
	}
}
