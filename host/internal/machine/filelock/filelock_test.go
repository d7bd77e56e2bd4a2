package filelock_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/machine/filelock"
)

func TestTake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := filelock.Take(t.Context(), path, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = filelock.Take(t.Context(), path, time.Millisecond)
	var held *filelock.HeldError
	if !errors.As(err, &held) || held.Holder != fmt.Sprintf("process %d", os.Getpid()) {
		t.Fatalf("a second time: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := filelock.Take(gone, path, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("with its context over: %v", err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	again, err := filelock.Take(t.Context(), path, time.Minute)
	if err != nil {
		t.Fatalf("once it is free: %v", err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
}

func TestTake_waits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := filelock.Take(t.Context(), path, 0)
	if err != nil {
		t.Fatal(err)
	}
	taken := make(chan error, 1)
	go func() {
		second, err := filelock.Take(t.Context(), path, time.Minute)
		if err == nil {
			err = second.Release()
		}
		taken <- err
	}()
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	if err := <-taken; err != nil {
		t.Error(err)
	}
}
