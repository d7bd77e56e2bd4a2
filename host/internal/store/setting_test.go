package store_test

import (
	"errors"
	"testing"

	"github.com/callgate/callgate/host/internal/store"
)

// TestT15_SettingWithoutItsRow is threat T15 on a person's decision: a value put into the file
// behind Callgate's back, or put back, is not used.
func TestT15_SettingWithoutItsRow(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"another value":  "UPDATE settings SET value = x'7468726565'",
		"an older value": "UPDATE settings SET value = x'6f6e65'",
		"no row":         "DELETE FROM audit_log",
		"no value":       "DELETE FROM settings",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := place(t)
			s := opened(t, path, store.Options{})
			if _, err := s.Setting(t.Context(), "pin"); !errors.Is(err, store.ErrNotFound) {
				t.Fatalf("before any: got %v, want ErrNotFound", err)
			}
			for _, value := range []string{"one", "two"} {
				must(t, s.SaveSetting(t.Context(), "pin", []byte(value), store.Row{Event: "pin_set", DecidedBy: "ann"}))
			}
			if value, err := s.Setting(t.Context(), "pin"); err != nil || string(value) != "two" {
				t.Fatalf("got %q, %v, want two", value, err)
			}
			must(t, s.Close())
			tamper(t, path, change)
			s = opened(t, path, store.Options{})
			if value, err := s.Setting(t.Context(), "pin"); !errors.Is(err, store.ErrForged) {
				t.Errorf("got %q, %v, want ErrForged", value, err)
			}
		})
	}
}

func TestSaveSetting_needsAnEvent(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	if err := s.SaveSetting(t.Context(), "pin", []byte("x"), store.Row{}); err == nil {
		t.Error("a setting was stored without a row that says so")
	}
}

// TestReadSetting: only a setting never stored counts as empty.
func TestReadSetting(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := opened(t, path, store.Options{})
	row := store.Row{Event: "pin_set", DecidedBy: "ann"}
	must(t, s.SaveSetting(t.Context(), "list", []byte(`["a"]`), row))
	must(t, s.SaveSetting(t.Context(), "bad", []byte(`[`), row))
	list := []string{"before"}
	if err := store.ReadSetting(t.Context(), s, "none", &list); err != nil || len(list) != 1 || list[0] != "before" {
		t.Errorf("never stored: got %q, %v", list, err)
	}
	if err := store.ReadSetting(t.Context(), s, "list", &list); err != nil || len(list) != 1 || list[0] != "a" {
		t.Errorf("stored: got %q, %v", list, err)
	}
	if err := store.ReadSetting(t.Context(), s, "bad", &list); err == nil {
		t.Error("no JSON: want an error")
	}
	must(t, s.Close())
	tamper(t, path, "DELETE FROM settings")
	s = opened(t, path, store.Options{})
	if err := store.ReadSetting(t.Context(), s, "list", &list); !errors.Is(err, store.ErrForged) {
		t.Errorf("removed behind Callgate's back: got %v, want ErrForged", err)
	}
}
