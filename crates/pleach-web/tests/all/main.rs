//! The exports run in WebAssembly alone: they are tested through the npm package.

#[test]
fn the_npm_package_is_tested_elsewhere() {
    testkit::skip("the npm package needs node and Chromium: tools/web/check builds and tests it");
}
