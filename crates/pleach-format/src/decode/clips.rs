//! Animation clips.

use std::sync::Arc;

use glam::{Quat, Vec3};
use pleach::animation::{Channel, Clip, Property};

use super::Decoder;
use crate::error::{Error, ErrorKind, Result};
use crate::records::clips::{ChannelRecord, ClipRecord};

/// The memory of a channel in a clip and its plan, in addition to its keys.
const CHANNEL_BYTES: usize = 512;

pub(super) fn decode(decoder: &mut Decoder<'_, '_>, record: ClipRecord) -> Result<Arc<Clip>> {
    let ClipRecord { name, targets, duration, channels } = record;
    decoder.budget.take(None, channels.len(), CHANNEL_BYTES)?;
    let mut last_times = None;
    let channels = channels.iter().map(|channel| decode_channel(decoder, channel, &mut last_times));
    let channels: Vec<Channel> = channels.collect::<Result<_>>()?;
    let invalid =
        |error: pleach::animation::ClipError| Error::new(ErrorKind::Value, error.to_string());
    let clip = Clip::new(&name, targets, channels).map_err(invalid)?;
    Ok(Arc::new(clip.with_duration(duration.0).map_err(invalid)?))
}

/// Decodes a channel. `last_times` are those of the channel before it, with their column: mostly the
/// same.
fn decode_channel(
    decoder: &mut Decoder<'_, '_>,
    record: &ChannelRecord,
    last_times: &mut Option<(u32, Arc<[f32]>)>,
) -> Result<Channel> {
    let ChannelRecord { target, property, interpolation, times: column, values } = *record;
    let interpolation = interpolation.value();
    let times = match last_times {
        Some((last, times)) if *last == column => Arc::clone(times),
        _ => {
            // The clip compares the times of its channels, for which it copies them.
            decoder.budget.take(None, decoder.columns.rows::<f32>(column)?, 8)?;
            let times: Arc<[f32]> = decoder.columns.get(column, decoder.budget)?.into();
            *last_times = Some((column, Arc::clone(&times)));
            times
        }
    };
    let channel = match property.value() {
        Property::Translation => {
            let values: Vec<Vec3> = decoder.columns.get(values, decoder.budget)?;
            Channel::translation(target, interpolation, times, values)
        }
        Property::Scale => {
            let values: Vec<Vec3> = decoder.columns.get(values, decoder.budget)?;
            Channel::scale(target, interpolation, times, values)
        }
        Property::Rotation => {
            // Angles between keys are kept, too.
            decoder.budget.take(None, decoder.columns.rows::<Quat>(values)?, 4)?;
            let values: Vec<Quat> = decoder.columns.get(values, decoder.budget)?;
            Channel::rotation(target, interpolation, times, values)
        }
        Property::Weights => {
            let values: Vec<f32> = decoder.columns.get(values, decoder.budget)?;
            Channel::weights(target, interpolation, times, values)
        }
    };
    channel.map_err(|error| Error::new(ErrorKind::Value, error.to_string()))
}
