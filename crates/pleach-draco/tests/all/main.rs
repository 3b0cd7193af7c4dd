//! Streams of the reference encoder (draco3dgltf 1.5.7), and what the reference decoder makes
//! of them.
//!
//! A digest stands for indices and values: FNV-1a over the indices as 32 bits, then the bytes
//! of each attribute, as the reference decoder gives them.

use pleach_draco::{Component, Decoded, Fault, decode};

const ENOUGH: usize = 1 << 20;

/// What a stream is, and what is in it.
struct Stream {
    hex: &'static str,
    points: usize,
    triangles: usize,
    digest: u64,
}

impl Stream {
    fn bytes(&self) -> Vec<u8> {
        let digits = self.hex.as_bytes().chunks(2);
        digits.map(|d| u8::from_str_radix(str::from_utf8(d).unwrap(), 16).unwrap()).collect()
    }
}

fn digest(decoded: &Decoded) -> u64 {
    let indices = decoded.indices.iter().flat_map(|index| index.to_le_bytes());
    let values = decoded.attributes.iter().flat_map(|attribute| attribute.bytes.iter().copied());
    indices.chain(values).fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

#[test]
fn every_stream_is_what_the_reference_decoder_says() {
    for (number, stream) in STREAMS.iter().enumerate() {
        let decoded = decode(&stream.bytes(), ENOUGH).unwrap();
        assert_eq!(decoded.points, stream.points, "stream {number}");
        assert_eq!(decoded.indices.len(), stream.triangles * 3, "stream {number}");
        assert_eq!(digest(&decoded), stream.digest, "stream {number}");
    }
}

#[test]
fn the_box_of_the_sample_models_is_a_box() {
    let decoded = decode(&BOX.bytes(), ENOUGH).unwrap();
    let [positions, normals] = decoded.attributes.as_slice() else { panic!("not two") };
    assert_eq!((normals.id, positions.id), (0, 1));
    assert_eq!((positions.components, positions.component), (3, Component::F32));
    assert!(!positions.normalized);
    let (positions, normals) = (floats(&positions.bytes), floats(&normals.bytes));
    for (position, normal) in positions.chunks(3).zip(normals.chunks(3)) {
        assert!(position.iter().all(|x| (x.abs() - 0.5).abs() < 0.001), "{position:?}");
        // Each side faces along one axis, away from the middle.
        let along: f32 = position.iter().zip(normal).map(|(p, n)| p * n).sum();
        assert!((along - 0.5).abs() < 0.01, "{position:?} {normal:?}");
    }
}

#[test]
fn attributes_keep_their_types() {
    let decoded = decode(&STREAMS[1].bytes(), ENOUGH).unwrap();
    let heads = decoded.attributes.iter().map(|a| (a.id, a.components, a.component));
    let expected = [(0, 3, Component::F32), (1, 4, Component::U8), (2, 1, Component::F32)];
    assert!(heads.eq(expected));
    assert_eq!(decoded.attributes[1].bytes[..4], [255, 0, 0, 255]);
    assert_eq!(floats(&decoded.attributes[2].bytes), [0.5, 0.25, -1.0, 3.0]);
}

#[test]
fn streams_that_end_early_are_refused() {
    for stream in STREAMS {
        let bytes = stream.bytes();
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length], ENOUGH).is_err());
        }
    }
}

#[test]
fn flipped_bits_never_panic_and_keep_the_promises() {
    for stream in STREAMS {
        let mut bytes = stream.bytes();
        for at in 0..bytes.len() {
            let bit = 1 << (at * 5 % 8);
            bytes[at] ^= bit;
            if let Ok(decoded) = decode(&bytes, ENOUGH) {
                assert!(decoded.indices.iter().all(|&index| (index as usize) < decoded.points));
                for attribute in &decoded.attributes {
                    let size = match attribute.component {
                        Component::I8 | Component::U8 => 1,
                        Component::I16 | Component::U16 => 2,
                        Component::I32 | Component::U32 | Component::F32 => 4,
                    };
                    let values = decoded.points * attribute.components;
                    assert_eq!(attribute.bytes.len(), values * size);
                }
            }
            bytes[at] ^= bit;
        }
    }
}

#[test]
fn too_small_a_budget_is_named() {
    for stream in STREAMS {
        let fault = decode(&stream.bytes(), 100).unwrap_err();
        assert!(matches!(fault, Fault::Room { .. }), "{fault}");
    }
}

/// A stream of this method that goes on with `rest`.
fn stream(method: u8, rest: &[u8]) -> Vec<u8> {
    [b"DRACO\x02\x02\x01".as_slice(), &[method, 0, 0], rest].concat()
}

#[test]
fn promises_without_data_cost_nothing() {
    // Four billion triangles of numbers that are all alike.
    let alike = stream(0, &[0xff, 0xff, 0xff, 0xff, 5, 3, 0, 1, 5, 1, 0x03, 0x40, 1, 0]);
    assert!(matches!(decode(&alike, ENOUGH).unwrap_err(), Fault::Room { .. }));
    // A table of likelihoods for every 32-bit number.
    let table = stream(0, &[1, 3, 0, 1, 5, 0xff, 0xff, 0xff, 0xff, 0x0f]);
    assert_eq!(decode(&table, ENOUGH).unwrap_err(), Fault::Ends);
    // A hundred million symbols in one byte.
    let symbols = [0, 0x80, 0xc2, 0xd7, 0x2f, 0x80, 0xc2, 0xd7, 0x2f, 0, 0x80, 0xc2, 0xd7, 0x2f];
    let symbols = stream(1, &[&symbols[..], &[0, 0, 1, 0, 128, 1, 0]].concat());
    assert_eq!(decode(&symbols, usize::MAX).unwrap_err(), Fault::Ends);
}

#[test]
fn other_streams_are_named() {
    let fault = |bytes: &[u8]| decode(bytes, ENOUGH).unwrap_err().to_string();
    assert_eq!(fault(b"glTF"), "not a Draco stream: it does not begin with \"DRACO\"");
    assert_eq!(
        fault(b"DRACO\x01\x01\x01\x01"),
        "the Draco stream has version 1.1: glTF's extension is for 2.2",
    );
    assert_eq!(
        fault(b"DRACO\x02\x02\x00\x00\x00\x00"),
        "the Draco stream is broken: it is points without triangles",
    );
}

/// `Box` of the glTF sample models.
const BOX: Stream = Stream {
    hex: "445241434f02020101000000080c010b0000035f5b0a01011055045ce38d4602ff0000000100010009030001\
          02010109030000030101010003030130011003002496130a240400000000ff070000000000bf000000bf0000\
          00bf0000803f0b06030101010101400100ff0000007f000000ff02a14108",
    points: 24,
    triangles: 12,
    digest: 0x9976_5d44_0b4b_16f4,
};

const STREAMS: &[Stream] = &[
    BOX,
    // Two triangles in sequence: positions, colours of bytes, one float that is plain.
    Stream {
        hex: "445241434f02020100000002040100010201030201030009030000020204000104090100020201000001\
              01000b03012001101b01100300a09088110000ff0300000000ff03000000010100060301100120070110\
              03009090698021217400000000ff0000000000003f0000803e000080bf00004040000000000000000000\
              0000000000803f0a",
        points: 4,
        triangles: 2,
        digest: 0xdad8_d570_d7fe_d25d,
    },
    // A ring of 48 triangles in sequence, coded, with normals and metadata.
    Stream {
        hex: "445241434f0202010000800001046e616d650661206d6573680030180100010601070601020702080702\
              0308030908030409040a0904050a050b0a05000b00060b06070c070d0c07080d080e0d08090e090f0e09\
              0a0f0a100f0a0b100b11100b0611060c110c0d120d13120d0e130e14130e0f140f15140f101510161510\
              1116111716110c170c121712130013010013140114020114150215030215160316040316170417050417\
              1205120005010200090300000109030001020300010100091b550dad3205e293eeae8001dc567fde00fd\
              00007fdd0080db00fe00002cdc54559400a90000539300549100aa00000092532925a00a00a49200d511\
              6005000091aaaa2801520100a62601a822015401000000000000ff000000000301010535fd234b010827\
              ad062bad021fad0a0dfb164d1f53dc3d1b816c85fb963f0000001f000000000040c0e14626c0000080bf\
              0000c0400806",
        points: 24,
        triangles: 48,
        digest: 0xd085_e702_7ca5_7be5,
    },
    // The ring by Edgebreaker at speed 5, with a seam of its texture coordinates.
    Stream {
        hex: "445241434f020201010000001830022f05022d0a011c030d7fd6675da3fa945295524a5100010110ff02\
              6045f205d020b7cb8403ff00000000000101000100090300000201010903000103010309020002020101\
              0100091b5525ad1a0570751a5aab8100562965d54a126095b4b294803f1230055801cac0140000e00648\
              3d025025ad804a01ac2400401240401260a5b45a950195a4533f13a0525a01930256924ea9002b000000\
              00ff000000000040c0e14626c0000080bf0000c0400800030101033f59114b550d27ad0ead0a1b550103\
              550155011f550123ad0212313e0f1353cf84ce58884af021774e290d813f0000001f0000000601010101\
              037eb92d2501250103b90593250125014fb9052501eb25010ee8e63823a5b4ab6c459af1f94d80000000\
              007f00000000000000000000000000803f07",
        points: 28,
        triangles: 48,
        digest: 0xe131_fd42_10d3_dc49,
    },
    // The same at speed 8, cut at all seams, with joints of shorts.
    Stream {
        hex: "445241434f020201010000009001300030000012ffffffffffffffffffffffffffffffffffffff026a43\
              01ff0000030009030000030902000104040400020202010001010104ff01c113249bf902f9024c4c6770\
              70010401041f250425044d047104974c4c310131013fe4e4e4e44fe4e49f98981770987070772424d201\
              1ee4cb6dd1d7c646f8357ef7643ff1a726af25199cf26a4ca1e3a966ffa90cd01442f6138a1f4d64d02b\
              c41348ffb5ea0e41f50a9b0996b8b65122b87c2a2a4d6373197c691e152720edcec047551e7734dfc2cf\
              3199271c22b7d1e8bbd332a3609dc110a2cb18c0a14451677e2745260eae7c21028c036c7eb4fec76afa\
              b2cfced760ab8e0d769534085c05dffd1551856e2541980265217849945ddd8eac00db9950b06c6e99fc\
              3273674e97a7bd4ce82d456f422208fb1b5150f53dfe40bc5e2ef3be6e09717c3435add688c59ef21483\
              00000000ff000000000101010243ad1ae49be5087104c901e43fad0271025505e504ad02710268141f1b\
              4f5e9c9491aeeecb77e3ce02ac4a2907929a38e5c1ecd7074f5e9c9491aeeecb77e3ce02ac4a2907929a\
              38e5c156870aec36aa45cc0f0cb8ec504b28102aa4373d0660f6145074d0748797bceba619af16a28bea\
              3ee59474b24c94f7df7fd9fac401c0c690000000007f00000000010101010701209108ad0a3903031d02\
              71079701233e245a1ccd870e914e27a12af27e07288a18171b08b748935a741dbcd0ddbfefe9c380ea93\
              4addaaf3842b8d2386447ae41c074a1a761dbcc94e9f20c625d54dc7c99e443afdae1cc17bc4ae357a3b\
              afef08133d9cb5ac5dd94554e650e73ea49d7d742bc17bf4a9cb687979920d6cf28ca63a31dbba349524\
              7ad8c2814a0a96f90bf4a9cbaddcb6e1764aa0329fdb60a4b0a6400a810000000006000000000040c0e1\
              4626c0000080bf0000c0400800000000000000000000803f07",
        points: 144,
        triangles: 48,
        digest: 0x324f_9eda_2fd5_2aec,
    },
    // The same at speed 0, the best predicted first, with bytes.
    Stream {
        hex: "445241434f020201010000001830032f05022d0a011c030d7fd6675da3fa945295524a5100010110ff02\
              6045f205d020b7cb8401020d4504ff000100000001010002010001000903000002010109030001030103\
              09020002020104010100030104010100091755050130ad0a05ea0840e37e8100562965d54a12a00ab0b2\
              94803f12d00758554aea14005029015300950a00002201f424500558ad00aaff08003001804c565600a0\
              d706a800400500a8000007b7030d208410b00460eb1a85095503c83a430c55044534708000000000ff00\
              0000000040c0e14626c0000080bf0000c0400806030101053f550559150755055505c7010801080fad0a\
              12e43e035b3cd553c5f93f069705cf757e54883f0000001f000000ff02a1410605010100080b49024902\
              dd06dd26b90d08d39e2395782098882b0008023ffb3d0a32c0853b38f0022e8f820c70e126260a32c085\
              9b9028c800176e620220c05bb889091a000000760500c69ba769000000007f0000000000000000000000\
              0000803f0704010101060be455011d03e491035501ad1e03709103391229cbfeb936f0073d9f5dbd14cd\
              073dc83bd14863d2b1971762e4e32b81ea5a38a4a5cd17535554a4528b00000000fbffffff05000000",
        points: 144,
        triangles: 48,
        digest: 0xd261_b6f1_1bdd_f1c6,
    },
    // The same at speed 1, texture coordinates first in the source.
    Stream {
        hex: "445241434f020201010000001830022f05022d0a011c030d7fd6675da3fa945295524a5100010110f205\
              d020b7cb84ff02604503ff00000100000001000100090300010201010903000203010309020000020101\
              0100091b5525ad1a0570751a5aab8100562965d54a126095b4b294803f1230055801cac0140000e00648\
              3d025025ad804a01ac2400401240401260a5b45a950195a4533f13a0525a01930256924ea9002b000000\
              00ff000000000040c0e14626c0000080bf0000c0400806030101043f550559150755055505c701080108\
              0fad0a12e43e035b3cd553c5f93f069705cf757e54883f0000001f000000ff02a1410605010100080b49\
              024902dd06dd26b90d08d39e2395782098882b0008023ffb3d0a32c0853b38f0022e8f820c70e126260a\
              32c0859b9028c800176e620220c05bb889091a000000760500c69ba769000000007f0000000000000000\
              0000000000803f07",
        points: 28,
        triangles: 48,
        digest: 0xe131_fd42_10d3_dc49,
    },
    // A ring of 1050 triangles by the valences of their vertices.
    Stream {
        hex: "445241434f020201010000028d049a08009908160290073813a402030101101a01020503c52e03510ced\
              040674a22468d9831a010204036507510c4d2c066ef828cbd09d120101050f01400100c8030101040b01\
              4001008a04010101014001000001ff000001000903000002010101010307952f9907c9080b0cd8011f93\
              facd50af7228a330f3f8bdce37fd7553c7c9a6114cfff23939f378e3956e2b42de92ce12a8e0be4fc65f\
              26a324bde51fc8d154f581f9c221b3ce753d8a44888d00a06effcda0ecb5fc967d9de308cb20e31fc834\
              0c9a84e5dd049204b21f164bdba2d0e49e7591cbb5177b2b2737d86f4cfb0be5b5e76d0eaec4a0f560d1\
              485e079acac392613089896be8f001e910487512fbc26b164c3b8210d809b954ab0b1db9f2d1a436d294\
              b2eb8eaa28f990d87489a2d3dcd3fcd0b88fa3656c3fcddd96ce57feda251a97dce5ac6274b289dba1b6\
              fe801e8100000000070000006c7c3ec0029f3fc0c0487fbf029fbf4003",
        points: 525,
        triangles: 1050,
        digest: 0xc541_afe8_08e7_1dab,
    },
    // Three triangles with plain floats.
    Stream {
        hex: "445241434f0202010100000005030003000002df00ff011101ff0000010009030000000000803f000080\
              3f000000000000803f0000000000000000000000400000003f0000803e000000000000803f0000000000\
              0000000000000000000000",
        points: 5,
        triangles: 3,
        digest: 0x5115_1440_616c_4ef0,
    },
    // By hand, as the encoder does not write these: notes in notes, coded indices, integers of
    // one to four bytes.
    Stream {
        hex: "445241434f02020100008001000101610209090101620000000002050000050f01400100200263010404\
              02010107040301000804060100c80104050200090101010100010001141433120500000000ff000000fe\
              00020200030070173f1f0a00fe0003020000040000c02709080000e02202010100040a0000000b000000\
              0e00000010000000110000001400000016000000180000001a0000001b00000018fcffffe8030000",
        points: 5,
        triangles: 2,
        digest: 0x09d9_3c1e_473a_bc60,
    },
];
