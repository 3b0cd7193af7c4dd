//! Parses the root member by member: finds the spans of values first, then parses each with
//! serde. Plain nodes are parsed by a fast path (`plain_node.rs`). Long arrays are
//! parsed on the threads that were requested (`threads/`), with the same result.
//!
//! Memory in proportion to the text is allocated fallibly.
//!
//! The cursor over the root's own brackets, commas and colons is strict, and serde parses
//! everything between them. Therefore only valid JSON is accepted, and faults are reported with
//! their location. Of several faults the first in the file is reported, whichever thread finds it.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::pointer::pointer_to;
use super::scan::{end_of_string, end_of_value, skip_space};
use super::{Member, Node, Root, plain_node};
use crate::diagnostics::Result;
use crate::{Error, ErrorKind, threads};

/// The work that a thread takes at once: entries of an array, or bytes of nodes.
const ENTRIES_PER_RUN: usize = 4096;
const BYTES_PER_RUN: usize = 1 << 19;

/// Limits against malicious files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParseLimits {
    /// The maximum nesting depth.
    pub(crate) max_depth: usize,
    /// The maximum memory for one parsed array, in bytes.
    pub(crate) max_array_bytes: u64,
}

impl ParseLimits {
    /// No limits, for a file that was loaded before.
    pub(crate) const NONE: Self = Self { max_depth: usize::MAX, max_array_bytes: u64::MAX };
}

impl<'a> Root<'a> {
    /// Parses the text of a file.
    pub(crate) fn parse(text: &'a str, limits: ParseLimits) -> Result<Self> {
        let mut root = Self::default();
        let mut seen: Vec<Cow<'_, str>> = Vec::new();
        let mut cursor = Cursor { text, at: 0, limits, depth: 1, raw_key: "", key_start: 0 };
        cursor.expect(b'{')?;
        while !cursor.end_or_next(b'}', seen.is_empty())? {
            let start = cursor.at;
            let key = cursor.key()?;
            if seen.contains(&key) {
                return Err(json_error(text, start, format!("duplicate field {key:?}")));
            }
            let value_start = cursor.next().map_or(start, |_| cursor.at);
            root.member(&mut cursor, &key)?;
            let (raw_key, value) = (cursor.raw_key, value_start..cursor.at);
            root.outline.members.push(Member { raw_key, start: cursor.key_start, value });
            seen.push(key);
            // Far more than are known; the search for duplicates is linear.
            if seen.len() > 1000 {
                return Err(json_error(text, start, "more than 1000 members".into()));
            }
        }
        if skip_space(text.as_bytes(), cursor.at) < text.len() {
            return Err(json_error(
                text,
                cursor.at,
                "unexpected characters after the end of the JSON".into(),
            ));
        }
        if !seen.iter().any(|key| key == "asset") {
            return Err(json_error(text, 0, "missing field \"asset\"; is this glTF?".into()));
        }
        Ok(root)
    }

    fn member(&mut self, cursor: &mut Cursor<'a>, key: &str) -> Result<()> {
        match key {
            "asset" => parse_value(cursor, &mut self.asset),
            "scene" => parse_value(cursor, &mut self.scene),
            "scenes" => parse_array(cursor, &mut self.scenes),
            "nodes" => parse_nodes(cursor, self),
            "meshes" => parse_array(cursor, &mut self.meshes),
            "skins" => parse_array(cursor, &mut self.skins),
            "cameras" => parse_array(cursor, &mut self.cameras),
            "animations" => parse_array(cursor, &mut self.animations),
            "materials" => parse_array(cursor, &mut self.materials),
            "textures" => parse_array(cursor, &mut self.textures),
            "images" => parse_array(cursor, &mut self.images),
            "samplers" => parse_array(cursor, &mut self.samplers),
            "accessors" => parse_array(cursor, &mut self.accessors),
            "bufferViews" => parse_array(cursor, &mut self.buffer_views),
            "buffers" => parse_array(cursor, &mut self.buffers),
            "extensionsUsed" => parse_array(cursor, &mut self.extensions_used),
            "extensionsRequired" => parse_array(cursor, &mut self.extensions_required),
            "extensions" => parse_value(cursor, &mut self.extensions),
            // Unknown members must be valid JSON, too.
            _ => parse_value(cursor, &mut IgnoredAny),
        }
    }
}

/// Parses the next value.
fn parse_value<'a, T: Deserialize<'a>>(cursor: &mut Cursor<'a>, target: &mut T) -> Result<()> {
    let span = cursor.value()?;
    *target = parse_span(cursor.text, span)?;
    Ok(())
}

/// Parses the value at a span.
fn parse_span<'a, T: Deserialize<'a>>(text: &'a str, span: Range<usize>) -> Result<T> {
    serde_json::from_str(&text[span.clone()]).map_err(|error| serde_error(text, span, &error))
}

/// Parses an array, on the requested threads if it is long.
fn parse_array<'a, T: Deserialize<'a> + Default + Send>(
    cursor: &mut Cursor<'a>,
    target: &mut Vec<T>,
) -> Result<()> {
    if cursor.next() != Some(b'[') {
        return parse_value(cursor, target);
    }
    let text = cursor.text;
    let start = cursor.at;
    let mut spans = Vec::new();
    cursor.expect(b'[')?;
    cursor.depth += 1;
    while !cursor.end_or_next(b']', spans.is_empty())? {
        if spans.len() == spans.capacity() {
            reserve(&mut spans, (text.len() - cursor.at) / 64 + 16, text, start)?;
        }
        spans.push(cursor.value()?);
    }
    cursor.depth -= 1;
    cursor.check_array_size::<T>(spans.len(), start)?;
    // Each entry is parsed into its final position.
    reserve(target, spans.len(), text, start)?;
    target.resize_with(spans.len(), T::default);
    fill(text, &spans, target)
}

/// Parses the value at each span into the entry of the same index. Of several faults the first is
/// returned.
fn fill<'a, T: Deserialize<'a> + Send>(
    text: &'a str,
    spans: &[Range<usize>],
    entries: &mut [T],
) -> Result<()> {
    let runs = spans.chunks(ENTRIES_PER_RUN).zip(entries.chunks_mut(ENTRIES_PER_RUN)).collect();
    let results = threads::map(runs, |(spans, entries)| fill_run(text, spans, entries));
    results.into_iter().collect()
}

fn fill_run<'a, T: Deserialize<'a>>(
    text: &'a str,
    spans: &[Range<usize>],
    entries: &mut [T],
) -> Result<()> {
    for (span, entry) in spans.iter().zip(entries) {
        *entry = parse_span(text, span.clone())?;
    }
    Ok(())
}

/// Reserves capacity for `additional` entries, or returns an error at the offset `start` if the
/// memory cannot be allocated.
fn reserve<T>(list: &mut Vec<T>, additional: usize, text: &str, start: usize) -> Result<()> {
    list.try_reserve_exact(additional).map_err(|_| {
        let bytes = (list.len() + additional).saturating_mul(size_of::<T>());
        Error::out_of_memory(pointer_to(text, start), bytes)
    })
}

/// Parses the nodes: plain ones by `plain_node.rs`, others by serde.
///
/// Other threads, if requested, parse runs of a long text ahead: each starts at what looks like the beginning of a node and stops at the first node that is not plain. When this
/// thread reaches the start of a run, it takes its nodes, which equal those that it would have
/// parsed itself; otherwise the run is dropped.
fn parse_nodes<'a>(cursor: &mut Cursor<'a>, root: &mut Root<'a>) -> Result<()> {
    parse_nodes_ahead(BYTES_PER_RUN, cursor, root)
}

fn parse_nodes_ahead<'a>(
    run_bytes: usize,
    cursor: &mut Cursor<'a>,
    root: &mut Root<'a>,
) -> Result<()> {
    if cursor.next() != Some(b'[') {
        return parse_value(cursor, &mut root.nodes);
    }
    let (text, start) = (cursor.text, cursor.at);
    // A plain node adds three levels of nesting.
    let uses_fast_path = cursor.limits.max_depth >= cursor.depth + 3;
    cursor.expect(b'[')?;
    cursor.depth += 1;
    let max_nodes = usize::try_from(cursor.limits.max_array_bytes).unwrap_or(usize::MAX)
        / size_of::<Node<'_>>();
    let mut ahead: VecDeque<NodeRun<'_>> = VecDeque::new();
    let mut ahead_to = cursor.at;
    let mut is_first = true;
    while !cursor.end_or_next(b']', is_first)? {
        is_first = false;
        cursor.next();
        let from = cursor.at;
        if uses_fast_path && from >= ahead_to && text.len() - from > 2 * run_bytes {
            (ahead, ahead_to) = parse_ahead(text, from, run_bytes, max_nodes);
        }
        while ahead.front().is_some_and(|run| run.start() < from) {
            ahead.pop_front();
        }
        let is_next = ahead.front().is_some_and(|run| run.start() == from);
        if is_next && let Some(mut run) = ahead.pop_front() {
            cursor.at = run.spans.last().map_or(from, |span| span.end);
            let count = root.nodes.len() + run.nodes.len();
            cursor.check_array_size::<Node<'_>>(count, start)?;
            reserve_nodes(root, run.nodes.len(), cursor, start, max_nodes)?;
            root.nodes.append(&mut run.nodes);
            root.outline.nodes.append(&mut run.spans);
            continue;
        }
        cursor.check_array_size::<Node<'_>>(root.nodes.len() + 1, start)?;
        reserve_nodes(root, 1, cursor, start, max_nodes)?;
        root.nodes.push(Node::default());
        let node = root.nodes.last_mut().filter(|_| uses_fast_path);
        match node.and_then(|node| plain_node::parse(text, from, node)) {
            Some(end) => cursor.at = end,
            None => {
                root.nodes.pop();
                let span = cursor.value()?;
                let node: Node<'_> = parse_span(text, span)?;
                root.nodes.push(Node { is_parsed_by_serde: true, ..node });
            }
        }
        root.outline.nodes.push(from..cursor.at);
    }
    cursor.depth -= 1;
    Ok(())
}

/// Reserves capacity for `more` nodes and their spans. Estimates the number of all nodes from those
/// parsed so far, so that a list is seldom copied and never has much unused capacity.
fn reserve_nodes(
    root: &mut Root<'_>,
    more: usize,
    cursor: &Cursor<'_>,
    start: usize,
    max_nodes: usize,
) -> Result<()> {
    let count = root.nodes.len();
    if root.nodes.capacity() - count >= more && root.outline.nodes.capacity() - count >= more {
        return Ok(());
    }
    let rest = cursor.text.len() - cursor.at;
    // Plain nodes have about a hundred bytes.
    let bytes_per_node = if count < 1000 { 100 } else { (cursor.at - start).div_ceil(count) };
    let estimate = (rest / bytes_per_node.max(1) + 16).min(max_nodes.saturating_sub(count));
    let additional = more.max(estimate);
    reserve(&mut root.nodes, additional, cursor.text, start)?;
    reserve(&mut root.outline.nodes, additional, cursor.text, start)
}

/// Plain nodes that were parsed ahead.
#[derive(Default)]
struct NodeRun<'a> {
    nodes: Vec<Node<'a>>,
    spans: Vec<Range<usize>>,
}

impl NodeRun<'_> {
    /// Returns the offset of the first node, or 0 if there is none.
    fn start(&self) -> usize {
        self.spans.first().map_or(0, |span| span.start)
    }
}

/// Parses runs of `run_bytes` bytes from `from` on, one per thread; returns them with the offset of
/// their end. The number of runs bounds the memory in addition to that of the list of nodes.
fn parse_ahead(
    text: &str,
    from: usize,
    run_bytes: usize,
    max_nodes: usize,
) -> (VecDeque<NodeRun<'_>>, usize) {
    let threads = threads::count().min(8);
    if threads < 2 {
        return (VecDeque::new(), text.len());
    }
    let runs = threads::map((0..threads).collect(), |number| {
        let start = from + number * run_bytes;
        let to = (start + run_bytes).min(text.len());
        let is_start = number == 0;
        parse_plain_nodes(text, start, to, max_nodes, is_start)
    });
    (runs.into_iter().filter(|run| !run.spans.is_empty()).collect(), from + threads * run_bytes)
}

/// Parses at most `max_nodes` plain nodes between `from` and `to`, beginning at `from` if a node
/// starts there, or else at what looks like the start of a node.
fn parse_plain_nodes(
    text: &str,
    from: usize,
    to: usize,
    max_nodes: usize,
    is_start: bool,
) -> NodeRun<'_> {
    let bytes = text.as_bytes();
    let mut run = NodeRun::default();
    let mut at = from;
    if !is_start {
        let is_end =
            |at: &usize| bytes[*at] == b'}' && bytes.get(skip_space(bytes, at + 1)) == Some(&b',');
        // The end of a node is usually close.
        let Some(end) = (from.max(1) - 1..to.min(bytes.len())).find(is_end) else { return run };
        at = skip_space(bytes, skip_space(bytes, end + 1) + 1);
    }
    while at < to && run.nodes.len() < max_nodes {
        if run.nodes.len() == run.nodes.capacity() {
            let estimate = (to.saturating_sub(at) / 100 + 16).max(run.nodes.len() / 4);
            // If there is no memory, the caller fails or parses the rest itself.
            if run.nodes.try_reserve_exact(estimate.min(max_nodes)).is_err() {
                break;
            }
        }
        run.nodes.push(Node::default());
        let end = run.nodes.last_mut().and_then(|node| plain_node::parse(text, at, node));
        let Some(end) = end else {
            run.nodes.pop();
            break;
        };
        run.spans.push(at..end);
        let comma = skip_space(bytes, end);
        if bytes.get(comma) != Some(&b',') {
            break;
        }
        at = skip_space(bytes, comma + 1);
    }
    run
}

/// A position in the brackets, commas and colons of an object or array.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// The last key with its escapes, and its offset.
    raw_key: &'a str,
    key_start: usize,
    /// The nesting depth at the cursor.
    depth: usize,
    limits: ParseLimits,
}

impl<'a> Cursor<'a> {
    /// Skips white space and returns the next byte without consuming it.
    fn next(&mut self) -> Option<u8> {
        self.at = skip_space(self.text.as_bytes(), self.at);
        self.text.as_bytes().get(self.at).copied()
    }

    /// Fails if an array of `count` entries would exceed the memory limit.
    fn check_array_size<T>(&self, count: usize, start: usize) -> Result<()> {
        let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
        if bytes <= self.limits.max_array_bytes {
            return Ok(());
        }
        let message = format!(
            "{count} entries would take {bytes} bytes, which exceeds the limit for files that are \
             not trusted"
        );
        Err(Error::at_pointer(ErrorKind::Limit, pointer_to(self.text, start), message))
    }

    fn expect(&mut self, byte: u8) -> Result<()> {
        if self.next() != Some(byte) {
            let message = match self.text.len() - self.at {
                0 => format!("expected {:?}, found the end of the JSON", char::from(byte)),
                _ => format!("expected {:?}", char::from(byte)),
            };
            return Err(json_error(self.text, self.at, message));
        }
        self.at += 1;
        Ok(())
    }

    /// Returns `true` after the closing `bracket`; otherwise advances to the next entry, past a
    /// comma unless `is_first`.
    fn end_or_next(&mut self, bracket: u8, is_first: bool) -> Result<bool> {
        if self.next() == Some(bracket) {
            self.at += 1;
            return Ok(true);
        }
        if !is_first {
            self.expect(b',')?;
        }
        Ok(false)
    }

    /// Parses a key and its colon.
    fn key(&mut self) -> Result<Cow<'a, str>> {
        let bytes = self.text.as_bytes();
        if self.next() != Some(b'"') {
            return Err(json_error(self.text, self.at, "expected a member name".into()));
        }
        let span = self.at..end_of_string(bytes, self.at);
        self.at = span.end;
        self.key_start = span.start;
        self.raw_key = self.text.get(span.start + 1..span.end - 1).unwrap_or_default();
        let key: super::Text<'_> = parse_span(self.text, span)?;
        self.expect(b':')?;
        Ok(key.0)
    }

    /// Skips the next value and returns its span.
    fn value(&mut self) -> Result<Range<usize>> {
        self.next();
        let (end, depth) = end_of_value(self.text.as_bytes(), self.at);
        let span = self.at..end;
        if self.depth + depth > self.limits.max_depth {
            let message = format!(
                "the JSON is nested {} deep; the limit is {}",
                self.depth + depth,
                self.limits.max_depth
            );
            return Err(Error::at_pointer(
                ErrorKind::Limit,
                pointer_to(self.text, self.at),
                message,
            ));
        }
        if span.is_empty() {
            return Err(json_error(self.text, self.at, "expected a value".into()));
        }
        self.at = span.end;
        Ok(span)
    }
}

/// Converts an error of serde to one with the location in the file.
fn serde_error(text: &str, span: Range<usize>, error: &serde_json::Error) -> Error {
    let value = &text[span.clone()];
    let before: usize =
        value.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let offset = span.start + (before + error.column()).min(value.len());
    let message = error.to_string();
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&suffix).unwrap_or(&message);
    if message == "trailing characters"
        && let Some((list, entries)) = pointer_to(text, offset).rsplit_once('/')
        && entries.bytes().all(|byte| byte.is_ascii_digit())
    {
        let message =
            with_location(text, offset, &format!("more than the expected {entries} numbers"));
        return Error::at_pointer(ErrorKind::Json, list.into(), message);
    }
    let message = match message {
        "unexpected end of hex escape" | "lone leading surrogate in hex escape" => {
            "a lone surrogate in a member name"
        }
        message => message,
    };
    json_error(text, offset, message.into())
}

/// Creates the error for a fault of the text at an offset.
pub(crate) fn json_error(text: &str, offset: usize, message: String) -> Error {
    let message = with_location(text, offset, &message);
    Error::at_pointer(ErrorKind::Json, pointer_to(text, offset), message)
}

/// Appends the line and the column to a message.
fn with_location(text: &str, offset: usize, message: &str) -> String {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
    let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count();
    format!("{message} (line {line}, column {})", column.max(1))
}

#[cfg(test)]
mod tests {
    use testkit::Rng;

    use super::*;

    fn refused(text: &str) -> String {
        let parse = || Root::parse(text, ParseLimits::NONE).map(drop).unwrap_err().to_string();
        let error = parse();
        assert_eq!(threads::with_threads(Some(2), parse), error);
        error
    }

    #[test]
    fn invalid_json_is_rejected() {
        for text in [
            "",
            " ",
            "[]",
            "{",
            "}",
            "{]",
            "nul",
            "{\"asset\"}",
            "{\"asset\":}",
            "{\"asset\":{\"version\":\"2.0\"}",
            "{\"asset\":{\"version\":\"2.0\"}} x",
            "{\"asset\":{\"version\":\"2.0\"},}",
            "{,\"asset\":{\"version\":\"2.0\"}}",
            "{\"asset\":{\"version\":\"2.0\"} \"nodes\":[]}",
            "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}{}]}",
            "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{},]}",
            "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[,{}]}",
            "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{]}]}",
            "{\"asset\":{\"version\":\"2.0\"},\"x\":[}",
            "{\"asset\":{\"version\":\"2.0\"},\"x\":01}",
            "{\"asset\":{\"version\":\"2.0\"},\"x\":tru}",
            "{\"asset\":{\"version\":\"2.0\"},\"x\":1 2}",
            "{\"asset\":{\"version\":\"2.0\"},\"x\":\"\t\"}",
            "{\"asset\":{\"version\":\"2.0\"},\"\\x\":1}",
            "{\"asset\":{\"version\":\"2.0\"},\"asset\":{\"version\":\"2.0\"}}",
            "{\"asset\":{\"version\":\"2.0\"},\"nodes\":{}}",
            "{\"nodes\":[]}",
        ] {
            let is_json = serde_json::from_str::<serde_json::Value>(text).is_ok();
            let valid_json = [
                "[]",
                "\"nodes\":{}",
                "\"nodes\":[]}",
                "\"asset\":{\"version\":\"2.0\"},\"asset\"",
            ];
            assert!(!is_json || valid_json.iter().any(|part| text.contains(part)), "{text}");
            refused(text);
        }
    }

    #[test]
    fn many_nodes_are_parsed_like_few() {
        let node =
            |index: usize| format!("{{\"name\":\"n{index}\",\"translation\":[{index},0.5,-1e-3]}}");
        let list: Vec<String> = (0..20_000).map(node).collect();
        let text =
            format!("{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{}]}}", list.join(" ,\n"));
        let parse = || Root::parse(&text, ParseLimits::NONE).unwrap();
        let root = threads::with_threads(Some(2), parse);
        assert_eq!(root.nodes.len(), 20_000);
        for (index, node) in root.nodes.iter().enumerate() {
            assert_eq!(node.name.as_deref(), Some(&*format!("n{index}")));
            assert_eq!(node.translation, Some([index as f32, 0.5, -1e-3]));
        }
    }

    #[test]
    fn nodes_do_not_depend_on_what_was_parsed_ahead() {
        let kinds = [
            "{\"name\":\"a\",\"translation\":[1,2,3]}",
            "{\"name\":\"},{\",\"mesh\":1}",
            "{\"extras\":[{\"a\":1},{\"b\":2},{}],\"mesh\":2}",
            "{}",
            "{ \"children\" : [ 1 , 2 ] }",
            "{\"name\":\"\\n\"}",
            "{\"weights\":[0.5,1],\"extensions\":{\"A\":{},\"B\":{}}}",
        ];
        for (seed, kinds) in
            [&kinds[..], &kinds[..1], &kinds[2..3], &kinds[1..3]].iter().enumerate()
        {
            let mut random = Rng::new(seed as u64);
            let list: Vec<&str> = (0..700).map(|_| random.pick(kinds)).collect();
            let separator = [",", " , ", ",\n  "][seed % 3];
            let text = format!("[{}] , \"x\": [{{}},{{}},{{}},{{}}]", list.join(separator));
            let by_serde = |text: &&'static str| {
                let is_plain = plain_node::parse(text, 0, &mut Node::default()).is_some();
                let node: Node<'_> = serde_json::from_str(text).unwrap();
                Node { is_parsed_by_serde: !is_plain, ..node }
            };
            let serde: Vec<Node<'_>> = list.iter().map(by_serde).collect();
            for run_bytes in [usize::MAX / 4, 10, 100, 3000] {
                let limits = ParseLimits::NONE;
                let mut cursor =
                    Cursor { text: &text, at: 0, limits, depth: 1, raw_key: "", key_start: 0 };
                let mut root = Root::default();
                let threads = if run_bytes == 3000 { None } else { Some(3) };
                threads::with_threads(threads, || {
                    parse_nodes_ahead(run_bytes, &mut cursor, &mut root).unwrap();
                });
                assert_eq!(
                    format!("{:?}", root.nodes),
                    format!("{serde:?}"),
                    "seed {seed}, runs of {run_bytes} bytes"
                );
                assert_eq!(&text[cursor.at..cursor.at + 4], " , \"");
                let spans = root.outline.nodes.iter().map(|span| &text[span.clone()]);
                assert!(spans.eq(list.iter().copied()), "seed {seed}, runs of {run_bytes} bytes");
            }
        }
    }

    #[test]
    fn of_several_faults_the_first_is_reported() {
        let mut list = vec!["{}".to_string(); 50_000];
        list[10] = "{\"mesh\":-1}".into();
        list[49_000] = "{\"mesh\":\"x\"}".into();
        let text = format!("{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{}]}}", list.join(","));
        assert!(refused(&text).starts_with("/nodes/10/mesh: "), "{}", refused(&text));
        list[10] = "{}".into();
        let text = format!("{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{}]}}", list.join(","));
        assert!(refused(&text).starts_with("/nodes/49000/mesh: "), "{}", refused(&text));
    }
}
