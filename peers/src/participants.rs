//! Who takes part: the columns of the tables and the seats behind them.

use std::env;

use crate::contenders::arrays::Loop;
use crate::contenders::naive::Naive;
use crate::contenders::plain_loop::Glam;
use crate::contenders::pleach::Pleach;
use crate::contenders::simd_loop::Simd;
use crate::named_enum::words;
use crate::runner::{Local, Seat};
use crate::serial_build;
use crate::worker::Remote;

words! {
    /// A column of the tables. Bevy's are the better of several modes, case by case.
    pub enum Column {
        Pleach = "pleach",
        Naive = "naive",
        Loop = "loop",
        SimdLoop = "simd_loop",
        BevySingle = "bevy_single",
        BevyMulti = "bevy_multi",
    }
}

impl Column {
    pub fn title(self) -> String {
        self.word().replace('_', " ")
    }
}

pub struct Member {
    pub column: Column,
    /// Which of the column's modes this is; empty where there is just one.
    pub mode: &'static str,
    pub seat: Box<dyn Seat>,
}

impl Member {
    pub fn name(&self) -> String {
        match self.mode {
            "" => self.column.title(),
            mode => format!("{} ({mode})", self.column.title()),
        }
    }
}

/// Bevy's modes: threads in its pool, whether it tracks static subtrees.
const SINGLE: [(usize, bool, &str); 2] =
    [(1, true, "pool of 1, static tracking"), (1, false, "pool of 1, no static tracking")];
const MULTI: [(usize, bool, &str); 2] =
    [(2, true, "pool of 2, static tracking"), (2, false, "pool of 2, no static tracking")];

pub fn members(columns: &[Column]) -> Result<Vec<Member>, String> {
    let mut members = Vec::new();
    for &column in columns {
        match column {
            Column::Pleach => members.push(local(column, Local::new(Pleach::default()))),
            Column::Naive => members.push(local(column, Local::new(Naive::default()))),
            Column::Loop => members.push(local(column, Local::new(Loop::new(Glam)))),
            Column::SimdLoop => members.push(local(column, Local::new(Loop::new(Simd)))),
            Column::BevySingle => {
                members.extend(serial_bevy()?);
                for mode in SINGLE {
                    members.push(bevy(column, mode)?);
                }
            }
            Column::BevyMulti => {
                for mode in MULTI {
                    members.push(bevy(column, mode)?);
                }
            }
        }
    }
    Ok(members)
}

fn local(column: Column, seat: Local) -> Member {
    Member { column, mode: "", seat: Box::new(seat) }
}

fn bevy(
    column: Column,
    (threads, static_optimizations, mode): (usize, bool, &'static str),
) -> Result<Member, String> {
    let seat = env::current_exe()
        .and_then(|program| Remote::start(&program, threads, static_optimizations))
        .map_err(|error| format!("Bevy's worker cannot be started: {error}"))?;
    Ok(Member { column, mode, seat: Box::new(seat) })
}

/// Bevy's serial propagation never looks at the static tracking, so that is off there.
fn serial_bevy() -> Result<Option<Member>, String> {
    let Some(program) = serial_build::path() else {
        eprintln!("Bevy's serial mode is left out: run this with `cargo run` to have it built.");
        return Ok(None);
    };
    let seat = Remote::start(&program, 1, false)
        .map_err(|error| format!("Bevy's serial worker cannot be started: {error}"))?;
    Ok(Some(Member { column: Column::BevySingle, mode: "serial", seat: Box::new(seat) }))
}
