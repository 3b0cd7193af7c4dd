// Runs a wasm32-wasip1 program under node's WASI: node wasi.mjs PROGRAM [ARGUMENT]...
//
// Cargo's runner for that target (CARGO_TARGET_WASM32_WASIP1_RUNNER); see tools/portable/check.

import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';
import { argv, env, exit } from 'node:process';

const [, , program, ...rest] = argv;
const wasi = new WASI({ version: 'preview1', args: [program, ...rest], env, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
exit(wasi.start(instance));
