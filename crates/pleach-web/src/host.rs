//! Functions that JavaScript provides: the constructor of errors, and the handler of panics.

use std::cell::RefCell;

use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::node_number::to_number;

struct Host {
    make_error: Function,
    on_panic: Function,
}

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
    static LAST_FAULT: RefCell<Option<Fault>> = const { RefCell::new(None) };
}

/// Sets `makeError(code, message, node, index, pointer, world)`, which returns an error, and `onPanic(message)`, which
/// throws. The module must not be called again after a panic.
#[wasm_bindgen]
pub fn set_host(make_error: Function, on_panic: Function) {
    HOST.with_borrow_mut(|host| *host = Some(Host { make_error, on_panic }));
    std::panic::set_hook(Box::new(|info| {
        let message = info.to_string();
        let on_panic =
            HOST.with(|host| host.try_borrow().ok()?.as_ref().map(|host| host.on_panic.clone()));
        if let Some(on_panic) = on_panic {
            let thrown = on_panic.call1(&JsValue::NULL, &JsValue::from_str(&message));
            if let Err(error) = thrown {
                wasm_bindgen::throw_val(error);
            }
        }
    }));
}

/// Returns the error of the last call that returned a status of 1 or NaN.
#[wasm_bindgen]
pub fn take_fault() -> JsValue {
    LAST_FAULT.with_borrow_mut(Option::take).map_or(JsValue::UNDEFINED, JsValue::from)
}

/// Panics, for the tests of what happens after a panic.
///
/// # Panics
///
/// Always.
#[wasm_bindgen]
pub fn panic_for_tests(message: &str) {
    panic!("{message}");
}

/// Stores the error of a hot call.
#[cold]
pub(crate) fn keep(fault: Fault) {
    LAST_FAULT.with_borrow_mut(|last| *last = Some(fault));
}

/// Returns 0, or stores the error and returns 1.
#[inline]
pub(crate) fn status(result: Result<(), Fault>) -> u32 {
    match result {
        Ok(()) => 0,
        Err(fault) => {
            keep(fault);
            1
        }
    }
}

/// Returns the number, or stores the error and returns NaN.
#[inline]
pub(crate) fn number(result: Result<f64, Fault>) -> f64 {
    result.unwrap_or_else(|fault| {
        keep(fault);
        f64::NAN
    })
}

impl From<Fault> for JsValue {
    fn from(fault: Fault) -> Self {
        let make_error = HOST.with_borrow(|host| host.as_ref().map(|host| host.make_error.clone()));
        let Some(make_error) = make_error else { return Self::from_str(&fault.message) };
        let optional = |value: Option<f64>| value.map_or(Self::UNDEFINED, Self::from_f64);
        let arguments: Array = [
            Self::from_str(fault.code),
            Self::from_str(&fault.message),
            optional(fault.node.map(to_number)),
            optional(fault.index.map(|index| index as f64)),
            fault.pointer.as_deref().map_or(Self::UNDEFINED, Self::from_str),
            optional(fault.world.map(f64::from)),
        ]
        .into_iter()
        .collect();
        make_error.apply(&Self::NULL, &arguments).unwrap_or_else(|error| error)
    }
}
