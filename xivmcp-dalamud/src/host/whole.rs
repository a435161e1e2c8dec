//! Whether a library is all there. On systems with ELF the loader maps what a file's head promises, and the process is
//! killed when it touches what the file does not have; a build that is still being written looks like that. Other systems
//! check this themselves.

use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::{FileHeader, ProgramHeader};

/// False if `library` is an ELF file that ends before its parts do. Anything else is for the system's loader to judge.
pub(super) fn is_whole(library: &[u8]) -> bool {
    !library.starts_with(&object::elf::ELFMAG) || reaches_its_end(library).unwrap_or(false)
}

/// Nothing if not even the head can be read.
fn reaches_its_end(library: &[u8]) -> Option<bool> {
    let length = u64::try_from(library.len()).ok()?;
    let Ok(header) = FileHeader64::<Endianness>::parse(library) else {
        // Of a machine that no plugin runs on, or cut within the head.
        return Some(library.len() >= size_of::<FileHeader64<Endianness>>());
    };
    let endian = header.endian().ok()?;
    let count = u64::from(header.e_shnum(endian)) * u64::from(header.e_shentsize(endian));
    let sections = header.e_shoff(endian).checked_add(count)?;
    let segments = header.program_headers(endian, library).ok()?;
    let ends = segments.iter().map(|segment| segment.p_offset(endian).checked_add(segment.p_filesz(endian)));
    let last = ends.chain([Some(sections)]).max_by_key(|end| end.unwrap_or(u64::MAX))??;
    Some(last <= length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_whole_only_to_its_last_byte() {
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        if !program.starts_with(&object::elf::ELFMAG) {
            return;
        }
        assert!(is_whole(&program));
        for length in [4, 63, 64, 100, 4096, program.len() / 10, program.len() / 2, program.len() - 1] {
            assert!(!is_whole(&program[..length]), "{length} of {} bytes", program.len());
        }
    }

    #[test]
    fn what_is_no_elf_file_is_for_the_system_to_judge() {
        for other in [&b""[..], b"MZ", b"no library"] {
            assert!(is_whole(other));
        }
    }
}
