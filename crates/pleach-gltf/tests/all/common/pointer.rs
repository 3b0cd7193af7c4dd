//! JSON pointers of all values of a document, and removal by pointer.

use serde_json::Value;

/// Escapes a key for a JSON pointer.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Returns the pointers to a value and all its descendants, parents first.
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

/// Removes a value and returns it, or `None` if it does not exist.
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
