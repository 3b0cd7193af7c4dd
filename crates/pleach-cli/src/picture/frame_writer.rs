//! Writes pictures to files: one PNG, one PNG per frame, or an animated APNG or GIF.
//!
//! Frames are written as they are drawn, so memory use does not depend on their number.

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, bail};
use pleach_render::Picture;

use crate::input::values::Size;
use crate::report::new_file::NewFile;

/// The format of a picture file, given by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PictureFormat {
    /// One frame per file.
    Png,
    /// All frames in one file.
    Apng,
    /// All frames in one file with 256 colours per frame.
    Gif,
}

/// Parses a path with the extension of a picture format.
pub(crate) fn parse_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    picture_format(&path).ok_or("expected a file name that ends in .png, .apng or .gif")?;
    Ok(path)
}

/// Returns the format of a picture file by its extension.
pub(crate) fn picture_format(path: &Path) -> Option<PictureFormat> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match &*extension {
        "png" => Some(PictureFormat::Png),
        "apng" => Some(PictureFormat::Apng),
        "gif" => Some(PictureFormat::Gif),
        _ => None,
    }
}

/// A writer of one or more frames.
pub(crate) struct FrameWriter {
    path: PathBuf,
    frames: u32,
    written: u32,
    files: Vec<PathBuf>,
    encoding: Encoding,
}

enum Encoding {
    Files,
    Apng { writer: png::Writer<SharedFile>, file: Rc<RefCell<NewFile>> },
    Gif { encoder: gif::Encoder<NewFile>, fps: f32 },
}

impl FrameWriter {
    /// Creates a writer for `frames` frames at `fps` frames per second.
    pub(crate) fn new(path: &Path, size: Size, frames: u32, fps: f32) -> anyhow::Result<Self> {
        let cannot = || format!("cannot write {}", path.display());
        let encoding = match picture_format(path) {
            Some(PictureFormat::Png) => {
                // Reports an unwritable path before anything is drawn.
                NewFile::create(path)?;
                Encoding::Files
            }
            Some(PictureFormat::Apng) => {
                let file = Rc::new(RefCell::new(NewFile::create(path)?));
                let shared = SharedFile(Rc::clone(&file));
                let mut encoder = png::Encoder::new(shared, size.width, size.height);
                encoder.set_color(png::ColorType::Rgba);
                encoder.set_depth(png::BitDepth::Eight);
                encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
                // 0 plays: repeats forever.
                encoder.set_animated(frames, 0).with_context(cannot)?;
                let (numerator, denominator) = frame_delay(fps);
                encoder.set_frame_delay(numerator, denominator).with_context(cannot)?;
                Encoding::Apng { writer: encoder.write_header().with_context(cannot)?, file }
            }
            Some(PictureFormat::Gif) => {
                let side = |it: u32| u16::try_from(it).with_context(cannot);
                let (width, height) = (side(size.width)?, side(size.height)?);
                let mut encoder = gif::Encoder::new(NewFile::create(path)?, width, height, &[])
                    .with_context(cannot)?;
                encoder.set_repeat(gif::Repeat::Infinite).with_context(cannot)?;
                Encoding::Gif { encoder, fps }
            }
            None => bail!("{}: expected .png, .apng or .gif", path.display()),
        };
        Ok(Self { path: path.into(), frames, written: 0, files: Vec::new(), encoding })
    }

    /// Returns a note if players will show the file more slowly than requested.
    pub(crate) fn note(&self) -> Option<String> {
        let Encoding::Gif { fps, .. } = self.encoding else { return None };
        let is_slower = fps > GIF_FPS && self.frames > 1;
        is_slower.then(|| format!("a GIF has at most {GIF_FPS} frames/s; use .apng for more"))
    }

    /// Writes the next frame.
    pub(crate) fn write_frame(&mut self, picture: &Picture) -> anyhow::Result<()> {
        let cannot = || format!("cannot write {}", self.path.display());
        match &mut self.encoding {
            Encoding::Files => {
                let path = match self.frames {
                    1 => self.path.clone(),
                    _ => numbered(&self.path, self.written, self.frames),
                };
                write_png(&path, picture)?;
                self.files.push(path);
            }
            Encoding::Apng { writer, .. } => {
                writer.write_image_data(picture.bytes()).with_context(cannot)?;
            }
            Encoding::Gif { encoder, fps } => {
                let mut pixels = picture.bytes().to_vec();
                let (width, height) = (picture.width as u16, picture.height as u16);
                // Speed 10 of 30: colours are sampled from every tenth pixel.
                let mut frame = gif::Frame::from_rgba_speed(width, height, &mut pixels, 10);
                frame.delay = delay_centiseconds(self.written, *fps);
                encoder.write_frame(&frame).with_context(cannot)?;
            }
        }
        self.written += 1;
        Ok(())
    }

    /// Finishes the files and returns their paths.
    pub(crate) fn finish(mut self) -> anyhow::Result<Vec<PathBuf>> {
        let cannot = || format!("cannot write {}", self.path.display());
        match self.encoding {
            Encoding::Files => {}
            Encoding::Apng { writer, file } => {
                // Drops the encoder's reference to the file.
                writer.finish().with_context(cannot)?;
                let file = Rc::into_inner(file).with_context(cannot)?;
                file.into_inner().finish()?;
                self.files.push(self.path);
            }
            Encoding::Gif { encoder, .. } => {
                encoder.into_inner().with_context(cannot)?.finish()?;
                self.files.push(self.path);
            }
        }
        Ok(self.files)
    }
}

/// Returns the delay between frames as a fraction of a second, exact if two `u16` can represent it.
fn frame_delay(fps: f32) -> (u16, u16) {
    let exact = [1u16, 10, 100, 1000].into_iter().find_map(|times| {
        let rate = f64::from(fps) * f64::from(times);
        // 29.97 is not exactly representable as f32.
        let is_integer = (rate - rate.round()).abs() < 1e-6 * rate;
        (is_integer && rate.round() <= 65_535.0).then_some((times, rate.round() as u16))
    });
    exact.unwrap_or_else(|| ((1000.0 / fps).round().clamp(1.0, 65_535.0) as u16, 1000))
}

/// The maximum frame rate of a GIF: players replace delays below 2/100 s with 10/100 s.
const GIF_FPS: f32 = 50.0;

/// Returns the delay of a frame in 1/100 s, rounded so that errors do not accumulate.
fn delay_centiseconds(frame: u32, fps: f32) -> u16 {
    let end_of = |frames: u32| (100.0 * f64::from(frames) / f64::from(fps)).round();
    (end_of(frame + 1) - end_of(frame)).clamp(2.0, 65_535.0) as u16
}

/// A file shared with the encoder, which takes ownership of its writer.
struct SharedFile(Rc<RefCell<NewFile>>);

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

/// Returns the path of a numbered frame: `walk.png` becomes `walk-003.png`.
fn numbered(path: &Path, frame: u32, frames: u32) -> PathBuf {
    let digits = frames.saturating_sub(1).to_string().len().max(3);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-{frame:0digits$}.{extension}"))
}

/// Writes a picture as a PNG file.
pub(crate) fn write_png(path: &Path, picture: &Picture) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header().with_context(cannot)?;
    writer.write_image_data(picture.bytes()).with_context(cannot)?;
    writer.finish().with_context(cannot)?;
    crate::report::new_file::write(path, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_numbers_are_padded_with_zeros() {
        assert_eq!(numbered(Path::new("a/walk.png"), 7, 24), Path::new("a/walk-007.png"));
        assert_eq!(numbered(Path::new("walk.png"), 7, 20_000), Path::new("walk-00007.png"));
    }

    #[test]
    fn delays_add_up_to_the_duration() {
        assert_eq!([24.0, 12.5, 29.97].map(frame_delay), [(1, 24), (10, 125), (100, 2997)]);
        assert_eq!([0.3, 123.456].map(frame_delay), [(10, 3), (8, 1000)]);
        let delays: Vec<u16> = (0..30).map(|frame| delay_centiseconds(frame, 30.0)).collect();
        assert_eq!((delays.iter().sum::<u16>(), &delays[..3]), (100, &[3, 4, 3][..]));
        assert_eq!(delay_centiseconds(7, 1000.0), 2);
    }

    #[test]
    fn other_extensions_are_rejected() {
        assert_eq!(picture_format(Path::new("a.PNG")), Some(PictureFormat::Png));
        assert!(
            parse_path("a.jpg").is_err()
                && parse_path("png").is_err()
                && parse_path("a.gif").is_ok()
        );
    }
}
