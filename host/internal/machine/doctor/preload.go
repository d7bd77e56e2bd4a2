package doctor

import (
	"debug/elf"
	"debug/macho"
	"encoding/binary"
	"io"
	"os"
	"slices"
)

// A library named in the environment is loaded into a program before it begins, and may end it with
// success: a hook ending so in silence lets the call run. A project's environment reaches the hook
// (threat T07).

// preload checks whether this works for a program. Programs of another system fail the canaries.
func (d *examination) preload(path, system string) {
	switch {
	case system == "linux" && interpreted(path):
		d.bad("hook.preload", path+" is dynamically linked: a project could preload a library (LD_PRELOAD) that ends the hook with success, and the call RUNS unchecked.",
			"build it statically (make build, or CGO_ENABLED=0 go build ./cmd/callgate) and install it there")
	case system == "darwin" && insertable(path):
		d.warn("hook.preload", path+" is not signed with the hardened runtime: a project could preload a library (DYLD_INSERT_LIBRARIES) that ends the hook with success, and the call RUNS unchecked.",
			"codesign --force --options runtime --sign - "+path)
	}
}

// interpreted reports whether an ELF program names an interpreter: the dynamic linker.
func interpreted(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	return slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}

// insertable reports whether the loader of macOS heeds DYLD_INSERT_LIBRARIES for
// a program: for all but those with the hardened runtime. Source: dyld(1).
func insertable(path string) bool {
	f, err := macho.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	file, err := os.Open(path)
	if err != nil {
		return true
	}
	defer func() { _ = file.Close() }() // only read
	for _, l := range f.Loads {
		if raw := l.Raw(); len(raw) >= 16 && f.ByteOrder.Uint32(raw) == codeSignature {
			at, size := f.ByteOrder.Uint32(raw[8:]), f.ByteOrder.Uint32(raw[12:])
			text := make([]byte, min(size, maxSignature))
			n, err := file.ReadAt(text, int64(at))
			return err != nil && err != io.EOF || !hardened(text[:n])
		}
	}
	return true
}

// Of the signature: LC_CODE_SIGNATURE gives its place, and a code directory in it has flags, among
// them the hardened runtime's. Source: mach-o/loader.h, kern/cs_blobs.h.
const (
	codeSignature  = 0x1d
	codeDirectory  = 0xfade0c02
	runtimeFlag    = 0x10000
	signatureHead  = 12 // magic, length, count; then type and offset of each part
	maxSignature   = 1 << 20
	directoryFlags = 12
)

// hardened reports whether a signature asks for the hardened runtime.
func hardened(signature []byte) bool {
	if len(signature) < signatureHead {
		return false
	}
	for i := range binary.BigEndian.Uint32(signature[8:]) {
		entry := signatureHead + 8*int(i)
		if entry+8 > len(signature) {
			return false
		}
		at := int(binary.BigEndian.Uint32(signature[entry+4:]))
		if at < 0 || at+directoryFlags+4 > len(signature) || binary.BigEndian.Uint32(signature[at:]) != codeDirectory {
			continue
		}
		return binary.BigEndian.Uint32(signature[at+directoryFlags:])&runtimeFlag != 0
	}
	return false
}
