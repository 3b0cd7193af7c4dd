/** The files that examples load: each is a house with a node called 'door'. */
import './setup.js';
import { box, createMaterial, createScene, saveGltf } from '../src/entries/index.js';
import { platform } from '../src/gltf.js';

platform.readFile = () => {
	using scene = createScene({ name: 'house' });
	scene.createMesh({ geometry: box(), material: createMaterial({ name: 'wood' }), name: 'door' });
	return Promise.resolve(saveGltf(scene).bytes);
};
