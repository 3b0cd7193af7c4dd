/** What `pleach` exports: everything of `pleach/core`, scenes, assets, animation, undo and files. */
export * from './core-exports.js';
