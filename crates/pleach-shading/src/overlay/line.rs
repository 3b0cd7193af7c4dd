//! `Line` and its style, and `LineSink`: the interface between the overlays and a renderer.
//!
//! Lines are in world space and in f64, so that a renderer can place them as exactly as the
//! vertices they follow. A style holds for all lines up to the next one.

use glam::DVec3;

/// Red, green and blue in sRGB.
pub type Color = [u8; 3];

/// A line in world space; a dot if both ends are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// The ends. A line with an end that is not finite is not drawn.
    pub ends: [DVec3; 2],
    /// The opacities at the ends, from 0 to 1, interpolated along the line.
    pub alphas: [f32; 2],
}

impl Line {
    /// Creates an opaque line.
    #[must_use]
    pub const fn new(from: DVec3, to: DVec3) -> Self {
        Self { ends: [from, to], alphas: [1.0; 2] }
    }

    /// Creates an opaque dot.
    #[must_use]
    pub const fn dot(at: DVec3) -> Self {
        Self::new(at, at)
    }
}

/// The appearance of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineStyle {
    /// The colour.
    pub color: LineColor,
    /// The width class.
    pub width: LineWidth,
    /// The drawing mode behind surfaces.
    pub occluded: OccludedLines,
}

impl LineStyle {
    /// Creates a style of thin lines.
    #[must_use]
    pub const fn thin(color: LineColor, occluded: OccludedLines) -> Self {
        Self { color, width: LineWidth::Thin, occluded }
    }
}

/// The colour of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineColor {
    /// One colour.
    Fixed(Color),
    /// Dark on a light picture, and light on a dark one; see [`is_light`].
    Contrasting {
        /// The colour on light and on transparent pixels.
        dark: Color,
        /// The colour on dark pixels.
        light: Color,
    },
}

impl LineColor {
    /// The contrasting colour of edges and grids.
    pub const CONTRASTING: Self = Self::Contrasting { dark: [20, 24, 32], light: [190, 196, 208] };

    /// Returns the colour on a pixel: red, green and blue in sRGB, and alpha.
    ///
    /// ```
    /// use pleach_shading::overlay::LineColor;
    ///
    /// let [on_white, on_black] = [255, 0].map(|grey| LineColor::CONTRASTING.on([grey, grey, grey, 255]));
    /// assert!(on_white < on_black);
    /// assert_eq!(LineColor::Fixed([1, 2, 3]).on([0; 4]), [1, 2, 3]);
    /// ```
    #[must_use]
    pub fn on(self, pixel: [u8; 4]) -> Color {
        match self {
            Self::Fixed(color) => color,
            Self::Contrasting { dark, light } => {
                if is_light(pixel) {
                    dark
                } else {
                    light
                }
            }
        }
    }
}

/// The luma, from 0 to 255, above which a pixel counts as light.
pub const LIGHT_LUMA: u8 = 72;

/// Returns `true` if a pixel, in sRGB with alpha, counts as light: its luma exceeds
/// [`LIGHT_LUMA`], or it is mostly transparent.
#[must_use]
pub fn is_light([red, green, blue, alpha]: [u8; 4]) -> bool {
    let luma = 3 * u32::from(red) + 6 * u32::from(green) + u32::from(blue);
    luma > 10 * u32::from(LIGHT_LUMA) || alpha < 128
}

/// The width class of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineWidth {
    /// One pixel, or more in large pictures.
    Thin,
    /// Five times as much, for dots.
    Dot,
}

impl LineWidth {
    /// Returns the width in pixels for a picture of this height.
    ///
    /// ```
    /// use pleach_shading::overlay::LineWidth;
    ///
    /// assert_eq!([720, 1440, 2160].map(|height| LineWidth::Thin.pixels(height)), [1.0, 1.0, 2.0]);
    /// assert_eq!(LineWidth::Dot.pixels(720), 5.0);
    /// ```
    #[must_use]
    pub fn pixels(self, height: u32) -> f64 {
        let thin = f64::from(height.div_ceil(1440).max(1));
        match self {
            Self::Thin => thin,
            Self::Dot => 5.0 * thin,
        }
    }
}

/// The drawing mode of lines behind surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OccludedLines {
    /// Not drawn.
    Hidden,
    /// Drawn faintly.
    Faint,
    /// Drawn as if nothing occluded them.
    Visible,
}

impl OccludedLines {
    /// Returns the opacity of an occluded line.
    #[must_use]
    pub const fn alpha(self) -> f64 {
        match self {
            Self::Hidden => 0.0,
            Self::Faint => 0.3,
            Self::Visible => 1.0,
        }
    }
}

/// The distance behind a surface at which a line still counts as on it, relative to the distance:
/// far more than rounding errors, and far less than is visible.
pub const OCCLUSION_TOLERANCE: f64 = 1e-4;

/// A receiver of lines: a rasterizer or a vertex buffer.
pub trait LineSink {
    /// Begins lines of a style, which are drawn over all lines before.
    fn begin(&mut self, style: LineStyle);

    /// Charges work other than lines, such as the posing of vertices. Returns `false` if the
    /// overlay should end.
    fn charge(&mut self, work: usize) -> bool;

    /// Adds lines. Returns `false` if the overlay should end: no further line would be drawn.
    fn add(&mut self, lines: &[Line]) -> bool;
}

/// The number of lines that are passed to a sink at once.
const BATCH_SIZE: usize = 1 << 14;

/// Collects lines for a sink. Lines are lost unless [`flush`](Self::flush) is called at the end.
pub(super) struct LineBatch<'a> {
    sink: &'a mut dyn LineSink,
    lines: Vec<Line>,
    /// `false` if the sink wants no further lines.
    is_open: bool,
}

impl<'a> LineBatch<'a> {
    pub(super) fn new(sink: &'a mut dyn LineSink) -> Self {
        Self { sink, lines: Vec::new(), is_open: true }
    }

    /// Passes what was collected to the sink and begins a style.
    pub(super) fn begin(&mut self, style: LineStyle) {
        self.flush();
        self.sink.begin(style);
    }

    /// Charges work. Returns `false` if the overlay should end.
    pub(super) fn charge(&mut self, work: usize) -> bool {
        self.is_open &= self.sink.charge(work);
        self.is_open
    }

    /// Adds a line. Returns `false` if the overlay should end.
    pub(super) fn push(&mut self, line: Line) -> bool {
        self.lines.push(line);
        self.lines.len() < BATCH_SIZE || self.flush()
    }

    /// Passes what was collected to the sink. Returns `false` if the overlay should end.
    pub(super) fn flush(&mut self) -> bool {
        if self.is_open && !self.lines.is_empty() {
            self.is_open = self.sink.add(&self.lines);
        }
        self.lines.clear();
        self.is_open
    }
}
