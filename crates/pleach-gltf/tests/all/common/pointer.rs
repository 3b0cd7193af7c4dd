//! JSON pointers: the names of all values in a value, and what is done by them.

use serde_json::Value;

/// A key as it is written in a pointer.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The pointers of all values below a value, and its own, outer ones first.
pub(crate) fn pointers(value: &Value) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut at = 0;
    while at < all.len() {
        let here = all[at].clone();
        match value.pointer(&here) {
            Some(Value::Array(list)) => all.extend((0..list.len()).map(|i| format!("{here}/{i}"))),
            Some(Value::Object(map)) => {
                all.extend(map.keys().map(|key| format!("{here}/{}", escaped(key))));
            }
            _ => {}
        }
        at += 1;
    }
    all
}

/// Takes a value out; none if there is no such thing.
pub(crate) fn take(json: &mut Value, pointer: &str) -> Option<Value> {
    let (above, last) = pointer.rsplit_once('/')?;
    match json.pointer_mut(above)? {
        Value::Array(list) => {
            let at: usize = last.parse().ok()?;
            (at < list.len()).then(|| list.remove(at))
        }
        Value::Object(map) => map.remove(&last.replace("~1", "/").replace("~0", "~")),
        _ => None,
    }
}
