package sandbox_test

import (
	"context"
	"reflect"
	"regexp"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// TestLimitOf: a declaration beyond a limit names the limit's setting; a fixed bound names
// none.
func TestLimitOf(t *testing.T) {
	t.Parallel()
	r, err := sandbox.New(t.Context(), sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) }) // frees memory only
	for want, tt := range map[string]struct {
		module string
		limits sandbox.Limits
	}{
		"module_kib": {"deploy", sandbox.Limits{ModuleBytes: 1 << 10}},
		"functions":  {"deploy", sandbox.Limits{Functions: 6}},
		"memory_mib": {"memory_huge", sandbox.Limits{}},
		"":           {"tables_many", sandbox.Limits{}},
	} {
		if _, err := r.WithLimits(tt.limits).Load(t.Context(), "x", wasm(t, tt.module)); err == nil || sandbox.LimitOf(err) != want {
			t.Errorf("%s: got %q of %v, want %q", tt.module, sandbox.LimitOf(err), err, want)
		}
	}
}

// TestSettings_areAllLimits: each field of Limits is one setting, in order, and
// its default can be set.
func TestSettings_areAllLimits(t *testing.T) {
	t.Parallel()
	settings := sandbox.Settings()
	fields := reflect.TypeFor[sandbox.Limits]()
	if len(settings) != fields.NumField() {
		t.Fatalf("got %d settings, want one for each of %d limits", len(settings), fields.NumField())
	}
	seen := map[string]bool{}
	for i, s := range settings {
		if seen[s.Name] || !regexp.MustCompile(`^[a-z_]+$`).MatchString(s.Name) || s.Why == "" {
			t.Errorf("%+v: want a name of its own and a reason", s)
		}
		seen[s.Name] = true
		if s.Least < 1 || s.Default < s.Least || s.Most < s.Default {
			t.Errorf("%s: default %s, want it between %s and %s", s.Name, s.Text(s.Default), s.Text(s.Least), s.Text(s.Most))
		}
		for _, value := range []int64{s.Least, s.Most} {
			var l sandbox.Limits
			s.Put(&l, value)
			if s.Of(l) != value || reflect.ValueOf(l).Field(i).IsZero() {
				t.Errorf("%s: put %d, got %d in %+v; want field %s", s.Name, value, s.Of(l), l, fields.Field(i).Name)
			}
		}
	}
}
