//! Embree 3, called through its C interface: one thread, robust mode, one ray at a time.
//!
//! The library is loaded when the program runs, so that this program builds without it.
//!
//! Invariants, which all `unsafe` code here relies on: the signatures and structures are those of
//! Embree 3 (`embree3/rtcore*.h`, without instancing, so that a hit has one instance ID), and the
//! name of the loaded library contains its major version. A scene is committed before rays are
//! traced, and not changed afterwards; the boxes that its callbacks read live as long as the scene.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

use glam::Vec3;

use super::Trace;
use crate::space::boxes::Aabb;
use crate::space::rays::Ray;

/// The name of the library: the dynamic linker looks for it in the system's folders.
const LIBRARY: &CStr = c"libembree3.so.3";

/// Instructions for the case that the library is missing.
pub const INSTALL: &str = "install it with `apt-get install libembree-dev` (Debian 12)";

type Handle = *mut c_void;

/// `RTCRayHit`: a ray and its hit.
#[repr(C, align(16))]
struct RayHit {
    origin: [f32; 3],
    near: f32,
    direction: [f32; 3],
    time: f32,
    /// The maximum distance, then the distance of the hit.
    far: f32,
    mask: c_uint,
    id: c_uint,
    flags: c_uint,
    normal: [f32; 3],
    uv: [f32; 2],
    primitive: c_uint,
    geometry: c_uint,
    instance: c_uint,
}

/// `RTCIntersectContext`, followed by what the callback for boxes needs.
#[repr(C)]
struct Context {
    flags: c_int,
    filter: *const c_void,
    instance: c_uint,
    reciprocal: Vec3,
}

/// `RTCBounds`.
#[repr(C, align(16))]
struct Bounds {
    min: [f32; 3],
    align0: f32,
    max: [f32; 3],
    align1: f32,
}

/// `RTCBoundsFunctionArguments`.
#[repr(C)]
struct BoundsArguments {
    user: *const Aabb,
    primitive: c_uint,
    time_step: c_uint,
    bounds: *mut Bounds,
}

/// `RTCIntersectFunctionNArguments`.
#[repr(C)]
struct IntersectArguments {
    valid: *mut c_int,
    user: *const Aabb,
    primitive: c_uint,
    context: *const Context,
    ray_hit: *mut RayHit,
    n: c_uint,
    geometry: c_uint,
}

type BoundsFunction = unsafe extern "C" fn(*const BoundsArguments);
type IntersectFunction = unsafe extern "C" fn(*const IntersectArguments);

const INVALID_ID: c_uint = c_uint::MAX;
const TRIANGLES: c_int = 0;
const USER_GEOMETRY: c_int = 120;
const INDEX_BUFFER: c_int = 0;
const VERTEX_BUFFER: c_int = 1;
const UINT3: c_int = 0x5003;
const FLOAT3: c_int = 0x9003;
const VERSION: c_int = 0;
const SCENE_FLAG_ROBUST: c_int = 1 << 2;

/// Declares the functions of the library that are used, and loads them by their names.
macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?,)+) => {
        #[derive(Clone, Copy)]
        #[expect(non_snake_case, reason = "the names of the C interface")]
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)+
        }

        impl Functions {
            fn load() -> Option<Self> {
                let library = open(LIBRARY)?;
                Some(Self {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
                        let function = symbol(library, name)?;
                        type Function = unsafe extern "C" fn($($argument),*) $(-> $result)?;
                        // SAFETY: the function has this signature in Embree 3.
                        unsafe { std::mem::transmute::<Handle, Function>(function) }
                    },)+
                })
            }
        }
    };
}

functions! {
    rtcNewDevice: fn(*const c_char) -> Handle,
    rtcGetDeviceError: fn(Handle) -> c_int,
    rtcGetDeviceProperty: fn(Handle, c_int) -> isize,
    rtcNewScene: fn(Handle) -> Handle,
    rtcSetSceneFlags: fn(Handle, c_int),
    rtcCommitScene: fn(Handle),
    rtcReleaseScene: fn(Handle),
    rtcNewGeometry: fn(Handle, c_int) -> Handle,
    rtcSetNewGeometryBuffer: fn(Handle, c_int, c_uint, c_int, usize, usize) -> *mut c_void,
    rtcSetGeometryUserPrimitiveCount: fn(Handle, c_uint),
    rtcSetGeometryUserData: fn(Handle, *mut c_void),
    rtcSetGeometryBoundsFunction: fn(Handle, BoundsFunction, *mut c_void),
    rtcSetGeometryIntersectFunction: fn(Handle, IntersectFunction),
    rtcCommitGeometry: fn(Handle),
    rtcAttachGeometry: fn(Handle, Handle) -> c_uint,
    rtcReleaseGeometry: fn(Handle),
    rtcIntersect1: fn(Handle, *mut Context, *mut RayHit),
}

#[cfg(target_os = "linux")]
mod dynamic_linker {
    use super::*;

    unsafe extern "C" {
        fn dlopen(name: *const c_char, flags: c_int) -> Handle;
        fn dlsym(library: Handle, name: *const c_char) -> Handle;
    }

    const RTLD_NOW: c_int = 2;

    pub fn open(name: &CStr) -> Option<Handle> {
        // SAFETY: the name ends with a zero; the library's initializers are trusted.
        let library = unsafe { dlopen(name.as_ptr(), RTLD_NOW) };
        (!library.is_null()).then_some(library)
    }

    pub fn symbol(library: Handle, name: &CStr) -> Option<Handle> {
        // SAFETY: the name ends with a zero, and libraries are never closed.
        let symbol = unsafe { dlsym(library, name.as_ptr()) };
        (!symbol.is_null()).then_some(symbol)
    }
}

#[cfg(not(target_os = "linux"))]
mod dynamic_linker {
    use super::*;

    pub fn open(_: &CStr) -> Option<Handle> {
        None
    }

    pub fn symbol(_: Handle, _: &CStr) -> Option<Handle> {
        None
    }
}

use dynamic_linker::{open, symbol};

/// The loaded library with a device of one thread.
#[derive(Clone, Copy)]
pub struct Embree {
    functions: Functions,
    device: Handle,
}

impl Embree {
    /// Returns `None`, with a message on the standard error output, if the library is missing.
    pub fn load() -> Option<Self> {
        let Some(functions) = Functions::load() else {
            eprintln!("SKIPPED: Embree, whose library was not found; {INSTALL}");
            return None;
        };
        // SAFETY: the text ends with a zero.
        let device = unsafe { (functions.rtcNewDevice)(c"threads=1".as_ptr()) };
        assert!(!device.is_null(), "Embree has no device");
        Some(Self { functions, device })
    }

    /// Returns the version and the mode, for the results page.
    pub fn description(self) -> String {
        // SAFETY: the device exists.
        let version = unsafe { (self.functions.rtcGetDeviceProperty)(self.device, VERSION) };
        let [major, minor, patch] = [version / 10_000, version / 100 % 100, version % 100];
        format!("Embree {major}.{minor}.{patch}: robust mode, one thread, `rtcIntersect1`.")
    }

    /// Returns the scene of a mesh.
    pub fn triangles(self, mesh: &[[Vec3; 3]]) -> Scene {
        let Functions { rtcSetNewGeometryBuffer: new_buffer, .. } = self.functions;
        // SAFETY: the buffers have the sizes that are written to them; none is used afterwards.
        self.scene(TRIANGLES, Vec::new(), |geometry, _| unsafe {
            let vertices = new_buffer(geometry, VERTEX_BUFFER, 0, FLOAT3, 12, 3 * mesh.len());
            vertices.cast::<[Vec3; 3]>().copy_from_nonoverlapping(mesh.as_ptr(), mesh.len());
            let indices = new_buffer(geometry, INDEX_BUFFER, 0, UINT3, 12, mesh.len());
            for index in 0..3 * mesh.len() {
                indices.cast::<c_uint>().add(index).write(index as c_uint);
            }
        })
    }

    /// Returns the scene of boxes, which are a geometry of callbacks.
    pub fn boxes(self, boxes: &[Aabb]) -> Scene {
        let functions = self.functions;
        // SAFETY: the boxes live as long as the scene, which owns them.
        self.scene(USER_GEOMETRY, boxes.to_vec(), |geometry, boxes| unsafe {
            (functions.rtcSetGeometryUserPrimitiveCount)(geometry, boxes.len() as c_uint);
            (functions.rtcSetGeometryUserData)(geometry, boxes.as_ptr().cast_mut().cast());
            (functions.rtcSetGeometryBoundsFunction)(geometry, box_bounds, null_mut());
            (functions.rtcSetGeometryIntersectFunction)(geometry, intersect_box);
        })
    }

    fn scene(self, kind: c_int, boxes: Vec<Aabb>, fill: impl FnOnce(Handle, &[Aabb])) -> Scene {
        let Self { functions, device } = self;
        // SAFETY: the order of calls that Embree's documentation shows.
        unsafe {
            let scene = (functions.rtcNewScene)(device);
            (functions.rtcSetSceneFlags)(scene, SCENE_FLAG_ROBUST);
            let geometry = (functions.rtcNewGeometry)(device, kind);
            fill(geometry, &boxes);
            (functions.rtcCommitGeometry)(geometry);
            (functions.rtcAttachGeometry)(scene, geometry);
            (functions.rtcReleaseGeometry)(geometry);
            (functions.rtcCommitScene)(scene);
            assert_eq!((functions.rtcGetDeviceError)(device), 0, "Embree reports an error");
            Scene { embree: self, scene, _boxes: boxes }
        }
    }
}

/// A scene of triangles or of boxes.
pub struct Scene {
    embree: Embree,
    scene: Handle,
    _boxes: Vec<Aabb>,
}

impl Drop for Scene {
    fn drop(&mut self) {
        // SAFETY: nothing uses the scene any more. The device lives on: there are few.
        unsafe { (self.embree.functions.rtcReleaseScene)(self.scene) };
    }
}

impl Trace for Scene {
    fn trace(&mut self, rays: &[Ray], distances: &mut [f32]) {
        let intersect = self.embree.functions.rtcIntersect1;
        for (ray, distance) in rays.iter().zip(distances) {
            let mut context = Context {
                flags: 0,
                filter: null(),
                instance: INVALID_ID,
                reciprocal: ray.direction.recip(),
            };
            let mut hit = RayHit {
                origin: ray.origin.to_array(),
                near: 0.0,
                direction: ray.direction.to_array(),
                time: 0.0,
                far: f32::INFINITY,
                mask: c_uint::MAX,
                id: 0,
                flags: 0,
                normal: [0.0; 3],
                uv: [0.0; 2],
                primitive: INVALID_ID,
                geometry: INVALID_ID,
                instance: INVALID_ID,
            };
            // SAFETY: the scene is committed; the others are valid for the call.
            unsafe { intersect(self.scene, &raw mut context, &raw mut hit) };
            *distance = if hit.geometry == INVALID_ID { f32::INFINITY } else { hit.far };
        }
    }
}

unsafe extern "C" fn box_bounds(arguments: *const BoundsArguments) {
    // SAFETY: Embree passes valid arguments, with the boxes as user data and the index of one.
    let (aabb, bounds) = unsafe {
        let arguments = &*arguments;
        (&*arguments.user.add(arguments.primitive as usize), arguments.bounds)
    };
    // SAFETY: as above.
    unsafe { bounds.write(Bounds { min: aabb.min, align0: 0.0, max: aabb.max, align1: 0.0 }) };
}

/// The slab test, with the reciprocals of the direction computed once per ray.
unsafe extern "C" fn intersect_box(arguments: *const IntersectArguments) {
    // SAFETY: Embree passes valid arguments: the boxes as user data, the index of one, one ray (as
    // only single rays are traced) and the context of `trace`.
    let (aabb, context, ray, geometry, primitive) = unsafe {
        let it = &*arguments;
        if *it.valid == 0 {
            return;
        }
        let aabb = &*it.user.add(it.primitive as usize);
        (aabb, &*it.context, &mut *it.ray_hit, it.geometry, it.primitive)
    };
    let origin = Vec3::from(ray.origin);
    let one = (Vec3::from(aabb.min) - origin) * context.reciprocal;
    let other = (Vec3::from(aabb.max) - origin) * context.reciprocal;
    let enter = one.min(other).max_element().max(ray.near);
    let leave = one.max(other).min_element().min(ray.far);
    if enter <= leave {
        ray.far = enter;
        (ray.geometry, ray.primitive) = (geometry, primitive);
    }
}
