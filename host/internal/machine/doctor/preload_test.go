package doctor_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/machine/doctor"
	"github.com/callgate/callgate/host/internal/machine/finding"
)

// program is an ELF file with one segment.
func program(t *testing.T, segment elf.ProgType) []byte {
	t.Helper()
	head := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 1, Shentsize: 64}
	copy(head.Ident[:], elf.ELFMAG+"\x02\x01\x01")
	var out bytes.Buffer
	for _, part := range []any{head, elf.Prog64{Type: uint32(segment)}} {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// signedProgram is a Mach-O file with these flags in its signature.
func signedProgram(flags uint32) []byte {
	var out []byte
	for _, word := range []uint32{0xfeedfacf, 0x0100000c, 0, 2, 1, 16, 0, 0 /* LC_CODE_SIGNATURE */, 0x1d, 16, 48, 36} {
		out = binary.LittleEndian.AppendUint32(out, word)
	}
	for _, word := range []uint32{0xfade0cc0, 36, 1, 0, 20, 0xfade0c02, 16, 0x20400, flags} {
		out = binary.BigEndian.AppendUint32(out, word)
	}
	return out
}

// TestT07_Preload: a hook that a preloaded library could end with success is named, with its
// fix.
func TestT07_Preload(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text   []byte
		system string
		want   finding.State // empty for no finding
	}{
		"linux, a dynamic linker":       {program(t, elf.PT_INTERP), "linux", finding.Error},
		"linux, none":                   {program(t, elf.PT_LOAD), "linux", ""},
		"linux, a script":               {[]byte("#!/bin/sh\n"), "linux", ""},
		"macOS, signed by the linker":   {signedProgram(0x20002), "darwin", finding.Warning},
		"macOS, the hardened runtime":   {signedProgram(0x10002), "darwin", ""},
		"macOS, signature broken off":   {signedProgram(0x10002)[:80], "darwin", finding.Warning},
		"another system's is not known": {program(t, elf.PT_INTERP), "windows", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "callgate")
			if err := os.WriteFile(path, test.text, 0o700); err != nil {
				t.Fatal(err)
			}
			got := doctor.Preload(path, test.system)
			if test.want == "" && len(got) == 0 {
				return
			}
			if len(got) != 1 || got[0].State != test.want || got[0].Fix == "" {
				t.Errorf("got %+v, want one finding, %q, with a fix", got, test.want)
			}
		})
	}
}
