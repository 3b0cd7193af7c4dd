//! Builds and splits `.glb` containers.

/// Pads bytes to a multiple of four.
pub(crate) fn padded(mut bytes: Vec<u8>, with: u8) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(4), with);
    bytes
}

/// Builds a container of chunks without checking them.
pub(crate) fn container<T: AsRef<[u8]>>(chunks: &[(&[u8; 4], T)]) -> Vec<u8> {
    let mut out = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, content) in chunks {
        let content = content.as_ref();
        out.extend((content.len() as u32).to_le_bytes());
        out.extend(*kind);
        out.extend(content);
    }
    let length = out.len() as u32;
    out[8..12].copy_from_slice(&length.to_le_bytes());
    out
}

/// Builds a `.glb` of chunks that are aligned.
pub(crate) fn glb_of(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    for (_, content) in chunks {
        assert_eq!(content.len() % 4, 0);
    }
    container(chunks)
}

/// Builds a `.glb` of JSON and binary data of any length.
pub(crate) fn glb(json: &[u8], bin: &[u8]) -> Vec<u8> {
    container(&[(b"JSON", padded(json.to_vec(), b' ')), (b"BIN\0", padded(bin.to_vec(), 0))])
}

/// Returns the types and contents of the chunks of a `.glb`.
pub(crate) fn chunks_of(bytes: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(number(8) as usize, bytes.len(), "the length of the .glb");
    let (mut at, mut chunks) = (12, Vec::new());
    while at < bytes.len() {
        let end = at + 8 + number(at) as usize;
        assert_eq!(end % 4, 0, "chunks are aligned");
        chunks.push((number(at + 4), bytes[at + 8..end].to_vec()));
        at = end;
    }
    chunks
}
