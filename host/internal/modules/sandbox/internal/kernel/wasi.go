package kernel

import (
	"encoding/binary"
	"fmt"

	"github.com/tetratelabs/wazero/api"
)

// The WASI error numbers of the empty world. Source: the witx files of WASI preview 1.
const (
	wasiOK     = 0
	wasiBadf   = 8
	wasiFault  = 21
	wasiInval  = 28
	wasiNosys  = 52
	wasiNotsup = 58
	wasiSpipe  = 70
)

// errno ends a function of WASI with an error number.
type errno uint32

// wasiFunctions are all functions of WASI preview 1, in a world with a clock, random numbers
// and three files: standard input, at its end, and two outputs, leading nowhere. A guest's
// actions on them leave no trace. RATIONALE.md, "Why a WASI of our own?".
var wasiFunctions = []hostFunction{
	{"args_get", sig(i32, i32), sig(i32), goCost, always(wasiOK)},
	{"args_sizes_get", sig(i32, i32), sig(i32), goCost, wasi(noneOf)},
	{"environ_get", sig(i32, i32), sig(i32), goCost, always(wasiOK)},
	{"environ_sizes_get", sig(i32, i32), sig(i32), goCost, wasi(noneOf)},
	{"clock_res_get", sig(i32, i32), sig(i32), goCost, wasi(clockResolution)},
	{"clock_time_get", sig(i32, i64, i32), sig(i32), goCost, wasi(clockTime)},
	{"random_get", sig(i32, i32), sig(i32), goCost, wasi(randomGet)},
	{"poll_oneoff", sig(i32, i32, i32, i32), sig(i32), goCost, wasi(pollOneoff)},
	{"sched_yield", nil, sig(i32), goCost, always(wasiOK)},
	{"proc_exit", sig(i32), nil, goCost, procExit},
	{"proc_raise", sig(i32), sig(i32), goCost, always(wasiNosys)},

	{"fd_write", sig(i32, i32, i32, i32), sig(i32), goCost, wasi(fdWrite)},
	{"fd_read", sig(i32, i32, i32, i32), sig(i32), goCost, wasi(fdRead)},
	{"fd_fdstat_get", sig(i32, i32), sig(i32), goCost, wasi(fdStat)},
	{"fd_filestat_get", sig(i32, i32), sig(i32), goCost, wasi(fileStat)},
	{"fd_close", sig(i32), sig(i32), goCost, standard(wasiOK)},
	{"fd_fdstat_set_flags", sig(i32, i32), sig(i32), goCost, standard(wasiOK)},
	{"fd_fdstat_set_rights", sig(i32, i64, i64), sig(i32), goCost, standard(wasiNosys)},
	{"fd_seek", sig(i32, i64, i32, i32), sig(i32), goCost, standard(wasiSpipe)},
	{"fd_tell", sig(i32, i32), sig(i32), goCost, standard(wasiSpipe)},
	{"fd_pread", sig(i32, i32, i32, i64, i32), sig(i32), goCost, standard(wasiSpipe)},
	{"fd_pwrite", sig(i32, i32, i32, i64, i32), sig(i32), goCost, standard(wasiSpipe)},
	{"fd_advise", sig(i32, i64, i64, i32), sig(i32), goCost, standard(wasiSpipe)},
	{"fd_allocate", sig(i32, i64, i64), sig(i32), goCost, standard(wasiNotsup)},
	{"fd_datasync", sig(i32), sig(i32), goCost, standard(wasiOK)},
	{"fd_sync", sig(i32), sig(i32), goCost, standard(wasiOK)},
	{"fd_filestat_set_size", sig(i32, i64), sig(i32), goCost, standard(wasiInval)},
	{"fd_filestat_set_times", sig(i32, i64, i64, i32), sig(i32), goCost, standard(wasiNotsup)},
	{"fd_readdir", sig(i32, i32, i32, i64, i32), sig(i32), goCost, always(wasiBadf)},
	{"fd_renumber", sig(i32, i32), sig(i32), goCost, always(wasiNotsup)},

	// There are no directories, so no paths.
	{"fd_prestat_get", sig(i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"fd_prestat_dir_name", sig(i32, i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"path_create_directory", sig(i32, i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"path_filestat_get", sig(i32, i32, i32, i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"path_filestat_set_times", sig(i32, i32, i32, i32, i64, i64, i32), sig(i32), goCost, always(wasiBadf)},
	{"path_link", sig(i32, i32, i32, i32, i32, i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"path_open", sig(i32, i32, i32, i32, i32, i64, i64, i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"path_readlink", sig(i32, i32, i32, i32, i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"path_remove_directory", sig(i32, i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"path_rename", sig(i32, i32, i32, i32, i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"path_symlink", sig(i32, i32, i32, i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"path_unlink_file", sig(i32, i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"sock_accept", sig(i32, i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"sock_recv", sig(i32, i32, i32, i32, i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"sock_send", sig(i32, i32, i32, i32, i32), sig(i32), goCost, always(wasiBadf)},
	{"sock_shutdown", sig(i32, i32), sig(i32), goCost, always(wasiBadf)},
}

// always answers the same.
func always(n errno) func(*Kernel, api.Module, []uint64) {
	return func(_ *Kernel, _ api.Module, s []uint64) { s[0] = uint64(n) }
}

// isStandard reports whether a file is one of the three.
func isStandard(fd uint64) bool { return uint32(fd) <= 2 }

// standard answers the same for each existing file.
func standard(n errno) func(*Kernel, api.Module, []uint64) {
	return func(_ *Kernel, _ api.Module, s []uint64) {
		if isStandard(s[0]) {
			s[0] = uint64(n)
		} else {
			s[0] = wasiBadf
		}
	}
}

// wasi makes a host function of one returning an error number.
func wasi(run func(k *Kernel, guest guestMemory, s []uint64) errno) func(*Kernel, api.Module, []uint64) {
	return func(k *Kernel, guest api.Module, s []uint64) {
		s[0] = uint64(run(k, guestMemory{guest}, s))
	}
}

// guestMemory is the memory of a guest, if any.
type guestMemory struct{ guest api.Module }

// view returns size bytes of the guest's memory.
func (g guestMemory) view(offset, size uint64) ([]byte, bool) {
	memory := g.guest.Memory()
	if memory == nil || size > 1<<32-1 {
		return nil, false
	}
	return memory.Read(uint32(offset), uint32(size))
}

func (g guestMemory) put32(offset uint64, v uint32) errno {
	b, ok := g.view(offset, 4)
	if !ok {
		return wasiFault
	}
	binary.LittleEndian.PutUint32(b, v)
	return wasiOK
}

func (g guestMemory) put64(offset uint64, v uint64) errno {
	b, ok := g.view(offset, 8)
	if !ok {
		return wasiFault
	}
	binary.LittleEndian.PutUint64(b, v)
	return wasiOK
}

// procExit ends the call. Unlike wazero's it does not close the instance, which can be restored
// like any other.
func procExit(_ *Kernel, _ api.Module, s []uint64) {
	panic(&Trap{Kind: KindExit, Message: fmt.Sprintf("the module exited with code %d", uint32(s[0]))})
}

// noneOf answers with no arguments, or variables, of no bytes.
func noneOf(_ *Kernel, g guestMemory, s []uint64) errno {
	if e := g.put32(s[0], 0); e != wasiOK {
		return e
	}
	return g.put32(s[1], 0)
}

func clockResolution(_ *Kernel, g guestMemory, s []uint64) errno {
	if uint32(s[0]) > 1 {
		return wasiInval
	}
	return g.put64(s[1], uint64(resolution))
}

func clockTime(k *Kernel, g guestMemory, s []uint64) errno {
	switch uint32(s[0]) {
	case 0:
		return g.put64(s[2], uint64(k.walltime()))
	case 1:
		return g.put64(s[2], uint64(k.monotonic()))
	}
	return wasiInval
}

// drawAtOnce is how many random bytes are drawn before fuel and clock are looked
// at again: some microseconds' worth. One byte costs one unit of fuel.
const drawAtOnce = 4096

func randomGet(k *Kernel, g guestMemory, s []uint64) errno {
	p, ok := g.view(s[0], uint64(uint32(s[1])))
	if !ok {
		return wasiFault
	}
	for len(p) > 0 {
		n := min(len(p), drawAtOnce)
		k.charge(g.guest, int64(n))
		k.draw(p[:n])
		p = p[n:]
	}
	return wasiOK
}

// listMost caps the lists passed by a guest. More than POSIX allows are refused as by POSIX, so
// no list takes long to read.
const listMost = 1024

// list returns n entries of size bytes, for fuel.
func (g guestMemory) list(k *Kernel, offset, n, size uint64) ([]byte, errno) {
	if n > listMost {
		return nil, wasiInval
	}
	b, ok := g.view(offset, n*size)
	if !ok {
		return nil, wasiFault
	}
	k.charge(g.guest, int64(n)*listCost)
	return b, wasiOK
}

// listCost is the fuel of reading one entry of a list.
const listCost = 8

// fdWrite counts the written bytes, and drops them.
func fdWrite(k *Kernel, g guestMemory, s []uint64) errno {
	if !isStandard(s[0]) || uint32(s[0]) == 0 {
		return wasiBadf
	}
	parts, e := g.list(k, s[1], uint64(uint32(s[2])), 8)
	if e != wasiOK {
		return e
	}
	total := uint64(0)
	for ; len(parts) > 0; parts = parts[8:] {
		offset, size := binary.LittleEndian.Uint32(parts), binary.LittleEndian.Uint32(parts[4:])
		if _, ok := g.view(uint64(offset), uint64(size)); !ok {
			return wasiFault
		}
		total += uint64(size)
	}
	if total > 1<<32-1 {
		return wasiInval
	}
	return g.put32(s[3], uint32(total))
}

// fdRead reads the end of standard input.
func fdRead(_ *Kernel, g guestMemory, s []uint64) errno {
	if uint32(s[0]) != 0 {
		return wasiBadf
	}
	return g.put32(s[3], 0)
}

// The standard files look like a terminal's, as wazero's own do: seeking is not permitted.
const (
	characterDevice = 2
	// deviceRights are those of a file but to seek and tell.
	deviceRights = 0x08e001ff &^ (1 << 2) &^ (1 << 5)
)

func fdStat(_ *Kernel, g guestMemory, s []uint64) errno {
	b, e := g.stat(s, 24)
	if e == wasiOK {
		b[0] = characterDevice
		binary.LittleEndian.PutUint64(b[8:], deviceRights)
	}
	return e
}

func fileStat(_ *Kernel, g guestMemory, s []uint64) errno {
	b, e := g.stat(s, 64)
	if e == wasiOK {
		b[16] = characterDevice
		b[24] = 1 // link
	}
	return e
}

// stat returns the cleared bytes for a guest's question about a standard file.
func (g guestMemory) stat(s []uint64, size uint64) ([]byte, errno) {
	b, ok := g.view(s[1], size)
	switch {
	case !ok:
		return nil, wasiFault
	case !isStandard(s[0]):
		return nil, wasiBadf
	}
	clear(b)
	return b, wasiOK
}
