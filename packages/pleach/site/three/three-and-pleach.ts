import { attach } from 'pleach/three';
import { Raycaster } from 'three';
import { area } from './area.js';
import type { Play } from './stage.js';

export const play: Play = ({ scene, camera, viewport }, renderer) => {
	attach(scene);
	const raycaster = new Raycaster();
	return {
		draw() {
			area(renderer, viewport, camera);
			renderer.render(scene, camera);
		},
		cast(pointer) {
			raycaster.setFromCamera(pointer, camera);
			const hits = raycaster.intersectObject(scene);
			return hits;
		},
	};
};
