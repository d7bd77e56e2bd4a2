package sandbox_test

import (
	"reflect"
	"regexp"
	"testing"

	"github.com/callgate/callgate/host/sandbox"
)

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
