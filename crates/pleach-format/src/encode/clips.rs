//! Animation clips. Equal times of channels are one column.

use std::sync::Arc;

use pleach::animation::{Channel, Clip, Track};

use super::{SharedColumns, unsupported};
use crate::error::Result;
use crate::records::clips::{ChannelRecord, ClipRecord, InterpolationRecord, PropertyRecord};
use crate::records::numbers::F32;

pub(super) fn encode(clip: &Clip, columns: &mut SharedColumns<'_>) -> Result<ClipRecord> {
    Ok(ClipRecord {
        name: clip.name().into(),
        targets: clip.targets().iter().map(|target| target.to_string()).collect(),
        duration: F32(clip.duration()),
        channels: clip
            .channels()
            .iter()
            .map(|channel| encode_channel(channel, columns))
            .collect::<Result<_>>()?,
    })
}

fn encode_channel(channel: &Channel, columns: &mut SharedColumns<'_>) -> Result<ChannelRecord> {
    let track = channel.track();
    let address = Arc::as_ptr(track.times()).cast::<f32>().addr();
    let times = columns.push_shared(address, track.times());
    let (interpolation, values) = match track {
        Track::Translation(curve) | Track::Scale(curve) => {
            (curve.interpolation(), columns.writer.push(curve.values()))
        }
        Track::Rotation(curve) => (curve.interpolation(), columns.writer.push(curve.values())),
        Track::Weights(curve) => (curve.interpolation(), columns.writer.push(curve.values())),
    };
    let unknown = || unsupported("a channel of an animation");
    Ok(ChannelRecord {
        target: channel.target(),
        property: PropertyRecord::of(track.property()).ok_or_else(unknown)?,
        interpolation: InterpolationRecord::of(interpolation).ok_or_else(unknown)?,
        times,
        values,
    })
}
