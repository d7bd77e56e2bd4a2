package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// MaxMemoryPages is the maximum of Limits.MemoryPages: 1 GiB. More could not be restored
// between two calls in bearable time.
const MaxMemoryPages = (1 << 30) / PageSize

// Setting is one of the Limits in the form of the operator's configuration, errors and people.
// Its numbers are in the unit at the end of its name, in pieces without one; times are in
// nanoseconds.
type Setting struct {
	Name string
	// Time means: it is a length of time, written as 250ms.
	Time bool
	// Default holds without a setting; Least and Most bound it.
	Default, Least, Most int64
	// Why explains Least and Most.
	Why string

	unit int64 // of Limits' field, in one of ours
	get  func(*Limits) int64
	put  func(*Limits, int64)
}

// Settings lists all limits, in the order of Limits' fields.
func Settings() []Setting { return slices.Clone(settings) }

// Of returns the setting's value in l; zero where l leaves it to a default.
func (s Setting) Of(l Limits) int64 { return s.get(&l) / s.unit }

// Put sets it in l.
func (s Setting) Put(l *Limits, value int64) { s.put(l, value*s.unit) }

// Text writes a value as people write it into the configuration: "64", "250ms", "1m".
func (s Setting) Text(value int64) string {
	if !s.Time {
		return strconv.FormatInt(value, 10)
	}
	text := time.Duration(value).String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		return short + "m"
	}
	return text
}

var settings = []Setting{
	setting("module_kib", kib, 1, MaxModuleBytes/kib, "no larger file is read", func(l *Limits) *int { return &l.ModuleBytes }),
	setting("functions", one, 6, 1_000_000, "a module has six verbs at least, and no toolchain makes a million functions", func(l *Limits) *int { return &l.Functions }),
	setting("globals", one, 1, 100_000, "each is put back after every call", func(l *Limits) *int { return &l.Globals }),
	setting("table_entries", one, 1, 1<<20, "16 tables of that size take 128 MiB beside memory_mib", func(l *Limits) *uint32 { return &l.TableEntries }),
	interval("compile_time", time.Second, 10*time.Minute, "two modules are compiled at a time, and others wait", func(l *Limits) *time.Duration { return &l.CompileTime }),
	setting("compile_mib", mib, 64, 16<<10, "a small module takes some 30 MiB, a large one half a GiB", func(l *Limits) *int64 { return &l.CompileBytes }),
	setting("memory_mib", pages, 1, MaxMemoryPages*PageSize>>20, "all of it may have to be put back between two calls", func(l *Limits) *uint32 { return &l.MemoryPages }),
	setting("stack_kib", kib, 64, 64<<10, "a module of a common language takes some 32 KiB, and the stack is not part of memory_mib", func(l *Limits) *int { return &l.StackBytes }),
	setting("fuel", one, 1_000_000, 100_000_000_000, "a small module needs the one, those that come with Callgate twenty times that; the other lasts about a minute, and an agent waits meanwhile", func(l *Limits) *int64 { return &l.Fuel }),
	interval("timeout", time.Millisecond, time.Minute, "an agent waits meanwhile", func(l *Limits) *time.Duration { return &l.Timeout }),
	setting("input_kib", kib, 16, 64<<10, "a module reads a whole call and its rules", func(l *Limits) *int { return &l.InputBytes }),
	setting("output_kib", kib, 16, 16<<10, "a module's describe answers with all its tools", func(l *Limits) *int { return &l.OutputBytes }),
	setting("log_lines", one, 1, 10_000, "a call should not fill the log", func(l *Limits) *int { return &l.LogLines }),
	setting("log_kib", kib, 1, 1<<10, "a call should not fill the log", func(l *Limits) *int { return &l.LogBytes }),
	setting("error_bytes", one, 64, 4<<10, "people read it on a card", func(l *Limits) *int { return &l.ErrorBytes }),
	setting("instances", one, 1, 1<<10, "each holds memory", func(l *Limits) *int { return &l.Instances }),
}

// MaxModuleBytes is the maximum of Limits.ModuleBytes: no larger file need be read, kept or
// sent.
const MaxModuleBytes = 64 << 20

// The units of fields, in those of settings.
const (
	one   = 1
	kib   = 1 << 10
	mib   = 1 << 20
	pages = mib / PageSize
)

func setting[T int | int64 | uint32 | time.Duration](name string, unit, least, most int64, why string, field func(*Limits) *T) Setting {
	return Setting{
		Name: name, Least: least, Most: most, Why: why, Default: int64(*field(&defaults)) / unit, unit: unit,
		get: func(l *Limits) int64 { return int64(*field(l)) },
		put: func(l *Limits, value int64) { *field(l) = T(value) },
	}
}

func interval(name string, least, most time.Duration, why string, field func(*Limits) *time.Duration) Setting {
	s := setting(name, one, int64(least), int64(most), why, field)
	s.Time = true
	return s
}

// Limits are r's limits for loading modules; no field is zero.
func (r *Runtime) Limits() Limits { return r.limits }

// LimitOf returns the limit behind an error of Load or Call, by its setting's name, or another
// key of the configuration, in full; empty for other errors.
func LimitOf(err error) string {
	var failed *Error
	var module *exceeded
	var declared *wasmbin.LimitError
	switch {
	case errors.As(err, &failed):
		return failed.Limit
	case errors.As(err, &module):
		return module.limit
	case errors.As(err, &declared):
		name, _, _ := strings.Cut(declared.Limit, " ") // "memory_mib in pages of 64 KiB"
		if settable(name) {
			return name
		}
	}
	return ""
}

// exceeded is the reason for not loading a module with too large needs.
type exceeded struct{ limit, text string }

// Error implements error.
func (e *exceeded) Error() string { return e.text }

func exceed(limit, format string, args ...any) error {
	return &exceeded{limit, "limit " + limit + ": " + fmt.Sprintf(format, args...)}
}
