//! The participants: the columns of the tables and their runners.

use std::env;

use crate::contenders::arrays::Loop;
use crate::contenders::naive::Naive;
use crate::contenders::plain_loop::Glam;
use crate::contenders::pleach::Pleach;
use crate::contenders::pleach_bulk::PleachBulk;
use crate::contenders::simd_loop::Simd;
use crate::named_enum::named_enum;
use crate::runner::{LocalRunner, Runner};
use crate::serial_build;
use crate::worker::RemoteRunner;

named_enum! {
    /// A column of the tables. Bevy's columns show the fastest of several modes, case by case.
    pub enum Column {
        Pleach = "pleach",
        PleachBulk = "pleach_bulk",
        Naive = "naive",
        Loop = "loop",
        SimdLoop = "simd_loop",
        BevySingle = "bevy_single",
        BevyMulti = "bevy_multi",
    }
}

impl Column {
    pub fn title(self) -> String {
        self.name().replace('_', " ")
    }
}

pub struct Participant {
    pub column: Column,
    /// The mode; empty if the column has only one.
    pub mode: &'static str,
    pub runner: Box<dyn Runner>,
}

impl Participant {
    pub fn name(&self) -> String {
        match self.mode {
            "" => self.column.title(),
            mode => format!("{} ({mode})", self.column.title()),
        }
    }
}

/// Bevy's serial mode, in the second build.
pub const SERIAL: &str = "serial";
/// Bevy's other modes: threads in its pool, and whether it tracks static subtrees.
pub const SINGLE: [(usize, bool, &str); 2] =
    [(1, true, "pool of 1, static tracking"), (1, false, "pool of 1, no static tracking")];
pub const MULTI: [(usize, bool, &str); 2] =
    [(2, true, "pool of 2, static tracking"), (2, false, "pool of 2, no static tracking")];

pub fn participants(columns: &[Column]) -> Result<Vec<Participant>, String> {
    let mut participants = Vec::new();
    for &column in columns {
        match column {
            Column::Pleach => {
                participants.push(local_participant(column, LocalRunner::new(Pleach::default())))
            }
            Column::PleachBulk => participants
                .push(local_participant(column, LocalRunner::new(PleachBulk::default()))),
            Column::Naive => {
                participants.push(local_participant(column, LocalRunner::new(Naive::default())))
            }
            Column::Loop => {
                participants.push(local_participant(column, LocalRunner::new(Loop::new(Glam))))
            }
            Column::SimdLoop => {
                participants.push(local_participant(column, LocalRunner::new(Loop::new(Simd))))
            }
            Column::BevySingle => {
                participants.extend(serial_bevy()?);
                for mode in SINGLE {
                    participants.push(bevy(column, mode)?);
                }
            }
            Column::BevyMulti => {
                for mode in MULTI {
                    participants.push(bevy(column, mode)?);
                }
            }
        }
    }
    Ok(participants)
}

fn local_participant(column: Column, runner: LocalRunner) -> Participant {
    Participant { column, mode: "", runner: Box::new(runner) }
}

fn bevy(
    column: Column,
    (threads, static_optimizations, mode): (usize, bool, &'static str),
) -> Result<Participant, String> {
    let runner = env::current_exe()
        .and_then(|program| RemoteRunner::start(&program, threads, static_optimizations))
        .map_err(|error| format!("Bevy's worker cannot be started: {error}"))?;
    Ok(Participant { column, mode, runner: Box::new(runner) })
}

/// Bevy's serial propagation ignores the static tracking, so it is disabled.
fn serial_bevy() -> Result<Option<Participant>, String> {
    let Some(program) = serial_build::path() else {
        eprintln!("Bevy's serial mode is skipped; {}", serial_build::REMEDY);
        return Ok(None);
    };
    let runner = RemoteRunner::start(&program, 1, false)
        .map_err(|error| format!("Bevy's serial worker cannot be started: {error}"))?;
    Ok(Some(Participant { column: Column::BevySingle, mode: SERIAL, runner: Box::new(runner) }))
}
