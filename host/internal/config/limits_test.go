package config_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// TestLimits_areTheSandboxs: the sandbox's limits are the keys, in its order, and each key's
// explanation names the actual default.
func TestLimits_areTheSandboxs(t *testing.T) {
	t.Parallel()
	typ, settings := reflect.TypeFor[config.Limits](), sandbox.Settings()
	if typ.NumField() != len(settings) {
		t.Fatalf("got %d keys, want %d", typ.NumField(), len(settings))
	}
	_, schema, _ := strings.Cut(string(config.Schema()), `"Limits": {`)
	for i, s := range settings {
		if got := typ.Field(i).Tag.Get("yaml"); got != s.Name {
			t.Errorf("key %d: got %s, want %s", i, got, s.Name)
		}
		if s.Name == "instances" {
			continue // by the machine
		}
		_, after, _ := strings.Cut(schema, fmt.Sprintf("%q: {", s.Name))
		explained, _, _ := strings.Cut(after, "}")
		if want := "Default: " + s.Text(s.Default); !strings.Contains(explained, want+".") && !strings.Contains(explained, want+",") {
			t.Errorf("%s: %s: want %q", s.Name, explained, want)
		}
		if want := "    " + s.Name + ": " + s.Text(s.Default) + "\n"; !strings.Contains(string(config.ExampleFile()), want) {
			t.Errorf("the example lacks %q", want)
		}
	}
}

// TestLimits_of: a grant's own limit, then that of all modules, then the default; a grant may
// exceed the common limit.
func TestLimits_of(t *testing.T) {
	t.Parallel()
	m := parse(t, "modules: {limits: {fuel: 2000000, memory_mib: 8}, grants: {m: {limits: {fuel: 900000000, timeout: 5s}}}}").Modules
	one, other := m.LimitsOf(m.Grants["m"]), m.LimitsOf(config.Grant{})
	if one.Fuel != 900_000_000 || one.Timeout != 5*time.Second || one.MemoryPages != 8*16 || one.StackBytes != 8<<20 {
		t.Errorf("with a grant: got %+v", one)
	}
	if other.Fuel != 2_000_000 || other.Timeout != time.Second || other.MemoryPages != 8*16 {
		t.Errorf("without one: got %+v", other)
	}
}

// TestLimits_bounds: a value outside a limit's bounds is refused in its place, with the
// permitted range and the reason.
func TestLimits_bounds(t *testing.T) {
	t.Parallel()
	for _, s := range sandbox.Settings() {
		for _, place := range []struct{ text, field string }{
			{"modules:\n  limits:\n    %s: %s\n", "3:%d: modules.limits."},
			{"modules:\n  grants: {bash: {limits: {\n    %s: %s}}}\n", "3:%d: modules.grants.bash.limits."},
		} {
			for _, bad := range []int64{s.Least - 1, s.Most + 1, 0} {
				_, err := config.Parse("f", fmt.Appendf(nil, place.text, s.Name, s.Text(bad)), dirs)
				want := fmt.Sprintf("f:"+place.field+"%s: %s: want %s to %s: %s", len(s.Name)+7, s.Name, s.Text(bad), s.Text(s.Least), s.Text(s.Most), s.Why)
				if s.Time && bad == 0 {
					want = s.Name + ": duration 0s: want more than 0"
				}
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s %s: got %v, want %q", s.Name, s.Text(bad), err, want)
				}
			}
			for _, good := range []int64{s.Least, s.Most} {
				if _, err := config.Parse("f", fmt.Appendf(nil, place.text, s.Name, s.Text(good)), dirs); err != nil {
					t.Errorf("%s %s: got %v", s.Name, s.Text(good), err)
				}
			}
		}
	}
	for text, want := range map[string]string{
		"modules: {limits: {fule: 1}}":                      "modules.limits.fule: unknown key: did you mean fuel?",
		"modules: {limits: {fuel: 2e9}}":                    "modules.limits.fuel: want a whole number, got",
		"modules: {limits: {fuel: '2000000'}}":              "modules.limits.fuel: want a whole number, got text",
		"modules: {limits: {timeout: 1}}":                   "modules.limits.timeout: want text, got a number",
		"modules: {limits: {timeout: 1 s}}":                 "is not a duration; want a number with a unit",
		"modules: {limits: {fuel: 99999999999999999999}}":   "modules.limits.fuel: ",
		"modules: {grants: {bash: {limits: {stack: 1}}}}":   "modules.grants.bash.limits.stack: unknown key",
		"modules: {limits: {memory_mib: null}}":             "modules.limits.memory_mib: no value",
		"modules: {limits: [fuel]}":                         "modules.limits: want a mapping",
		"modules: {limits: {fuel: 2000000, fuel: 3000000}}": "given twice",
	} {
		if _, err := config.Parse("f", []byte(text), dirs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
