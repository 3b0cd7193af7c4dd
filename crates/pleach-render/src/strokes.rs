//! Points and lines, drawn over the picture where nothing is in front of them.

use glam::Vec4;

use crate::renderer::Canvas;
use crate::sample::Pixel;

pub(crate) fn draw(_canvas: &Canvas<'_>, _pixels: &mut [Pixel], _colors: &mut [Vec4]) {}
