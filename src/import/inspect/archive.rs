//! Zip archives, as far as a log needs them: stored, deflated and zstd members, zip64, and archives whose directory was
//! never written because the run was killed.
//!
//! Source of the layout: PKWARE APPNOTE 6.3.10, sections 4.3 and 4.5.3.

use std::io::Read;

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";

/// Longest comment after the end record, and the record.
const END_REACH: usize = 65_535 + 22;
/// A member larger than this is not unpacked: a few bytes can claim any size.
const MAX_MEMBER: u64 = 4 << 30;

/// Whether bytes begin like an archive.
pub(super) fn is(bytes: &[u8]) -> bool {
    bytes.starts_with(LOCAL)
}

/// The name of the first member.
pub(super) fn first_name(bytes: &[u8]) -> Option<String> {
    let length = usize::from(u16_at(bytes, 26)?);
    Some(String::from_utf8_lossy(bytes.get(30..30 + length)?).into_owned())
}

/// A file in the archive.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    method: u16,
    crc: u32,
    /// Where its local header is.
    header: usize,
    packed: usize,
    size: u64,
}

/// An archive.
#[derive(Debug)]
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    pub(super) members: Vec<Member>,
    /// There is no directory.
    pub(super) torn: bool,
}

impl<'a> Archive<'a> {
    /// Reads the directory, or walks the members where there is none.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, String> {
        let (members, torn) = match directory(bytes) {
            Some(members) => (members, false),
            None => (walk(bytes), true),
        };
        if members.is_empty() {
            return Err("a zip archive without readable members".to_owned());
        }
        Ok(Self { bytes, members, torn })
    }

    /// The member of this name.
    pub(super) fn find(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Unpacks a member and checks it.
    pub(super) fn read(&self, member: &Member) -> Result<Vec<u8>, String> {
        let packed = self.packed(member).ok_or("the member ends beyond the file")?;
        if member.size > MAX_MEMBER {
            return Err(format!("{} bytes unpacked, more than {MAX_MEMBER}", member.size));
        }
        let mut out = Vec::new();
        let limit = member.size + 1;
        let unpacked = match member.method {
            0 => packed.take(limit).read_to_end(&mut out).map_err(|error| error.to_string()),
            8 => flate2::read::DeflateDecoder::new(packed).take(limit).read_to_end(&mut out).map_err(|e| e.to_string()),
            93 => ruzstd::decoding::StreamingDecoder::new(packed)
                .map_err(|error| error.to_string())
                .and_then(|decoder| decoder.take(limit).read_to_end(&mut out).map_err(|error| error.to_string())),
            other => Err(format!("compression method {other}, which is not known")),
        };
        unpacked.map_err(|error| format!("cannot unpack: {error}"))?;
        let mut crc = flate2::Crc::new();
        crc.update(&out);
        if out.len() as u64 != member.size || crc.sum() != member.crc {
            return Err("the unpacked bytes are not those that were packed (length or checksum)".to_owned());
        }
        Ok(out)
    }

    fn packed(&self, member: &Member) -> Option<&'a [u8]> {
        let header = self.bytes.get(member.header..)?;
        if !header.starts_with(LOCAL) {
            return None;
        }
        let start = 30 + usize::from(u16_at(header, 26)?) + usize::from(u16_at(header, 28)?);
        header.get(start..start.checked_add(member.packed)?)
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

fn size_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u64_at(bytes, at)?).ok()
}

/// The members by the directory at the end.
fn directory(bytes: &[u8]) -> Option<Vec<Member>> {
    let reach = bytes.len().saturating_sub(END_REACH);
    let end = reach + memchr::memmem::rfind(&bytes[reach..], END)?;
    let mut at = usize::try_from(u32_at(bytes, end + 16)?).ok()?;
    if at == u32::MAX as usize {
        let locator = bytes.get(end.checked_sub(20)?..end).filter(|bytes| bytes.starts_with(LOCATOR_64))?;
        let record = bytes.get(size_at(locator, 8)?..).filter(|bytes| bytes.starts_with(END_64))?;
        at = size_at(record, 48)?;
    }
    let mut members = Vec::new();
    while let Some(entry) = bytes.get(at..).filter(|bytes| bytes.starts_with(CENTRAL)) {
        let [name, extra, comment] = [28, 30, 32].map(|at| u16_at(entry, at).map(usize::from));
        let (name, extra, comment) = (name?, extra?, comment?);
        members.push(central(entry, name, extra)?);
        at += 46 + name + extra + comment;
    }
    Some(members)
}

/// One entry of the directory.
fn central(entry: &[u8], name: usize, extra: usize) -> Option<Member> {
    let mut size = u64::from(u32_at(entry, 24)?);
    let mut packed = u64::from(u32_at(entry, 20)?);
    let mut header = u64::from(u32_at(entry, 42)?);
    let mut extras = entry.get(46 + name..46 + name + extra)?;
    while let (Some(id), Some(length)) = (u16_at(extras, 0), u16_at(extras, 2)) {
        let length = usize::from(length);
        if id == 1 {
            // Zip64: those of the three that did not fit, in this order.
            let mut at = 4;
            for value in [&mut size, &mut packed, &mut header] {
                if *value == u64::from(u32::MAX) {
                    *value = u64_at(extras, at)?;
                    at += 8;
                }
            }
        }
        extras = extras.get(4 + length..)?;
    }
    Some(Member {
        name: String::from_utf8_lossy(entry.get(46..46 + name)?).into_owned(),
        method: u16_at(entry, 10)?,
        crc: u32_at(entry, 16)?,
        header: usize::try_from(header).ok()?,
        packed: usize::try_from(packed).ok()?,
        size,
    })
}

/// The members by their local headers, up to the first that does not say how long it is or is not whole.
fn walk(bytes: &[u8]) -> Vec<Member> {
    let mut members = Vec::new();
    let mut at = 0;
    while let Some(member) = bytes.get(at..).and_then(|rest| local(rest, at)) {
        let data = u16_at(bytes, at + 28).map_or(0, usize::from) + 30 + member.name.len();
        let Some(next) = at.checked_add(data).and_then(|start| start.checked_add(member.packed)) else { break };
        if next > bytes.len() {
            break;
        }
        at = next;
        members.push(member);
    }
    members
}

fn local(header: &[u8], at: usize) -> Option<Member> {
    /// Sizes stand after the data, where they cannot be found.
    const STREAMED: u16 = 1 << 3;
    if !header.starts_with(LOCAL) || u16_at(header, 6)? & STREAMED != 0 {
        return None;
    }
    let name = usize::from(u16_at(header, 26)?);
    Some(Member {
        name: String::from_utf8(header.get(30..30 + name)?.to_vec()).ok()?,
        method: u16_at(header, 8)?,
        crc: u32_at(header, 14)?,
        header: at,
        packed: usize::try_from(u32_at(header, 18)?).ok()?,
        size: u64::from(u32_at(header, 22)?),
    })
}
