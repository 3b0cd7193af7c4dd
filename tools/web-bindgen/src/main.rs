//! Writes the JavaScript glue of a WebAssembly module for the browser: `web-bindgen INPUT.wasm NAME OUT_DIR`.
//!
//! What the program `wasm-bindgen` does with `--target web`, without what it needs to run tests: it is built in a
//! fifth of the time, and the registry of crates is enough to install it.

use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, name, out] = arguments.as_slice() else {
        return Err("usage: web-bindgen INPUT.wasm NAME OUT_DIR".into());
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(input)
        .out_name(name)
        .web(true)?
        .typescript(true)
        .omit_default_module_path(true);
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(out)?;
    Ok(())
}
