package config

import (
	"cmp"
	"reflect"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// Limits are the limits of a tool module. Missing values come from modules.limits, then from the
// sandbox. docs/sandbox.md explains each.
type Limits struct {
	// ModuleKiB is the size of the .wasm file in KiB. Default: 32768.
	ModuleKiB int64 `yaml:"module_kib"`
	// Functions is how many functions a module defines. Default: 65536.
	Functions int64 `yaml:"functions"`
	// Globals is how many globals a module has. Default: 10000.
	Globals int64 `yaml:"globals"`
	// TableEntries is the size of each of a module's tables. Default: 65536.
	TableEntries int64 `yaml:"table_entries"`
	// CompileTime is how long compiling a module may take, such as 60s. Default: 1m.
	CompileTime Duration `yaml:"compile_time"`
	// CompileMiB is the memory for compiling a module, in MiB. Default: 1024.
	CompileMiB int64 `yaml:"compile_mib"`
	// MemoryMiB is the memory of a running module, in MiB. Default: 64.
	MemoryMiB int64 `yaml:"memory_mib"`
	// StackKiB is the stack of a running module, in KiB. Default: 8192.
	StackKiB int64 `yaml:"stack_kib"`
	// Fuel is the limit of one call of a verb; an instruction takes about one. Default: 600000000,
	// about 100 ms.
	Fuel int64 `yaml:"fuel"`
	// Timeout is the time on the clock of one call of a verb, such as 250ms. Default: 1s.
	Timeout Duration `yaml:"timeout"`
	// InputKiB is the input limit of one call of a verb, in KiB. Default: 16384.
	InputKiB int64 `yaml:"input_kib"`
	// OutputKiB is what one call of a verb answers, in KiB. Default: 1024.
	OutputKiB int64 `yaml:"output_kib"`
	// LogLines is how many lines one call of a verb may log. Default: 64.
	LogLines int64 `yaml:"log_lines"`
	// LogKiB is how much text one call of a verb may log, in KiB. Default: 16.
	LogKiB int64 `yaml:"log_kib"`
	// ErrorBytes is how much of a module's own error message is kept, in bytes. Default: 512.
	ErrorBytes int64 `yaml:"error_bytes"`
	// Instances is how many calls of a module run at once; more wait. Default:
	// twice the processors.
	Instances int64 `yaml:"instances"`
}

// LimitsOf returns the complete limits of a module with the grant; the zero Grant is for a module
// without one.
func (m Modules) LimitsOf(g Grant) sandbox.Limits {
	out := m.LimitsSet(g)
	for _, s := range sandbox.Settings() {
		s.Put(&out, cmp.Or(s.Of(out), s.Default))
	}
	return out
}

// LimitsSet is LimitsOf with zero where neither the grant nor modules.limits says.
func (m Modules) LimitsSet(g Grant) sandbox.Limits {
	var out sandbox.Limits
	for _, s := range sandbox.Settings() {
		s.Put(&out, cmp.Or(g.Limits.value(s), m.Limits.value(s)))
	}
	return out
}

// value is a setting of l; zero when missing.
func (l Limits) value(s sandbox.Setting) int64 { return l.field(s.Name).Int() }

// field is the field of a setting, by its key.
func (l *Limits) field(name string) reflect.Value {
	v := reflect.ValueOf(l).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == name {
			return v.Field(i)
		}
	}
	panic("config: the sandbox's limit " + name + " has no key") // TestLimits_areTheSandboxs
}

// limits checks the sandbox's bounds. An explicit zero is no default.
func (ck *checker) limits(l Limits, field string) {
	for _, s := range sandbox.Settings() {
		at, v := field+"."+s.Name, l.value(s)
		if _, given := ck.places[at]; given && (v < s.Least || v > s.Most) {
			ck.add(at, "%s: want %s to %s: %s", s.Text(v), s.Text(s.Least), s.Text(s.Most), s.Why)
		}
	}
}
