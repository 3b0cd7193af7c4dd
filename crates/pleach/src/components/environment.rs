//! `Environment`: what is around a whole scene and belongs to none of its nodes.
//!
//! Colours are linear. Nothing here is a node: light from everywhere has no place, and
//! putting it into the tree would mislead.

use glam::Vec3;

/// What is around a scene: nothing, until it is given something.
///
/// ```
/// use pleach::{Ambient, Background, Environment, Fog};
/// use pleach::glam::Vec3;
///
/// let dusk = Vec3::new(0.1, 0.1, 0.15);
/// let environment = Environment {
///     ambient: Ambient { color: Vec3::ONE, intensity: 0.3 },
///     background: Some(Background::Color(dusk)),
///     fog: Some(Fog { color: dusk, near: 50.0, far: 200.0 }),
/// };
/// assert_eq!(environment.ambient.light(), Vec3::splat(0.3));
/// assert_eq!(Environment::default().background, None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Environment {
    /// Light that comes from everywhere; none, if not told otherwise.
    pub ambient: Ambient,
    /// What is behind everything. `None`: the picture is not cleared to anything.
    pub background: Option<Background>,
    /// What hides things that are far away, if anything does.
    pub fog: Option<Fog>,
}

/// Light that comes from everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ambient {
    /// Its colour, linear: multiplied with the intensity.
    pub color: Vec3,
    /// How bright it is.
    pub intensity: f32,
}

impl Default for Ambient {
    /// White, but dark: an intensity of 0.
    fn default() -> Self {
        Self { color: Vec3::ONE, intensity: 0.0 }
    }
}

impl Ambient {
    /// What it adds to every surface: colour times intensity.
    #[must_use]
    pub fn light(&self) -> Vec3 {
        self.color * self.intensity
    }

    /// Both together, as a colour of intensity 1. Where one is dark, the other as it is.
    ///
    /// ```
    /// use pleach::Ambient;
    /// use pleach::glam::Vec3;
    ///
    /// let [sky, lamp] = [(Vec3::Z, 0.5), (Vec3::ONE, 0.25)]
    ///     .map(|(color, intensity)| Ambient { color, intensity });
    /// assert_eq!(sky.plus(lamp).light(), Vec3::new(0.25, 0.25, 0.75));
    /// assert_eq!(sky.plus(Ambient::default()), sky);
    /// ```
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (light, more) = (self.light(), other.light());
        if more == Vec3::ZERO {
            return self;
        }
        if light == Vec3::ZERO {
            return other;
        }
        Self { color: light + more, intensity: 1.0 }
    }
}

/// What is behind everything.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Background {
    /// The same colour everywhere, linear.
    Color(Vec3),
}

impl From<Vec3> for Background {
    fn from(color: Vec3) -> Self {
        Self::Color(color)
    }
}

/// Fog that thickens evenly between two distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fog {
    /// Its colour, linear; most often the background's.
    pub color: Vec3,
    /// Up to this distance there is none.
    pub near: f32,
    /// From this distance on there is nothing else.
    pub far: f32,
}

impl Fog {
    /// How much of what is seen at a distance is fog: exactly 0 up to `near`, exactly 1 from
    /// `far` on, and evenly more between the two. Never NaN.
    ///
    /// Where near is not before far, the fog is a wall at near. What is at a distance of NaN,
    /// or in fog whose numbers are NaN, is clear.
    ///
    /// ```
    /// use pleach::{Fog, glam::Vec3};
    ///
    /// let fog = Fog { color: Vec3::ONE, near: 50.0, far: 200.0 };
    /// assert_eq!([10.0, 50.0, 125.0, 200.0, 1e9].map(|at| fog.factor(at)), [0.0, 0.0, 0.5, 1.0, 1.0]);
    /// ```
    #[must_use]
    pub fn factor(&self, distance: f32) -> f32 {
        if distance <= self.near {
            return 0.0;
        }
        if distance >= self.far {
            return 1.0;
        }
        let [near, far, distance] = [self.near, self.far, distance].map(f64::from);
        let fraction = (distance - near) / (far - near);
        // Not so if it is NaN.
        if fraction > 0.0 { fraction.min(1.0) as f32 } else { 0.0 }
    }
}
