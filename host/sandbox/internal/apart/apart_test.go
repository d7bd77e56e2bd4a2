package apart_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/callgate/callgate/host/sandbox/internal/apart"
)

// TestMain: this program is also its own worker.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "worker" {
		if err := work(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// limits are those of all workers here.
var limits = apart.Limits{Time: 7 * time.Second, Bytes: 64 << 20, Processors: 2}

// work does what it is told.
func work() error {
	told, err := apart.Receive(os.Stdin, 2)
	if err != nil {
		return err
	}
	if err := apart.Confine(limits); err != nil {
		return err
	}
	switch string(told[0]) {
	case "echo":
		return apart.Pack(os.Stdout, told[1])
	case "tell":
		return apart.Pack(os.Stdout, state())
	case "spend": // memory
		for kept := []byte{1}; len(kept) < 1<<40; {
			kept = append(kept, kept...)
		}
	}
	return errors.New("what?")
}

func run(t *testing.T, parts ...[]byte) ([]byte, error) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return apart.Run(t.Context(), []string{program, "worker"}, 1<<20, parts...)
}

func TestRun(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte("x"), 1<<19) // more than a pipe holds
	out, err := run(t, []byte("echo"), want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := apart.Unpack(out, 1); err != nil || !bytes.Equal(got[0], want) {
		t.Errorf("got %d bytes, %v; want %d", len(out), err, len(want))
	}
}

func TestRun_fails(t *testing.T) {
	t.Parallel()
	for name, parts := range map[string][][]byte{
		"what?":               {[]byte("sing"), nil},
		"it answers too much": {[]byte("echo"), make([]byte, 1<<20)},
	} {
		var failed *apart.Failure
		out, err := run(t, parts...)
		if !errors.As(err, &failed) || failed.Said != name && failed.Unwrap().Error() != name {
			t.Errorf("%s: got %d bytes, %v", name, len(out), err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := apart.Run(ctx, []string{"/nowhere"}, 0); err == nil {
		t.Error("nothing was started, and nothing said")
	}
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	parts := [][]byte{[]byte("one"), {}, []byte("three")}
	if err := apart.Pack(&packed, parts...); err != nil {
		t.Fatal(err)
	}
	got, err := apart.Unpack(packed.Bytes(), 3)
	if err != nil || !slices.EqualFunc(got, parts, bytes.Equal) {
		t.Errorf("got %q, %v; want %q", got, err, parts)
	}
	for n := range packed.Len() {
		if got, err := apart.Unpack(packed.Bytes()[:n], 3); !errors.Is(err, apart.ErrAnswer) {
			t.Errorf("%d bytes: got %q, %v", n, got, err)
		}
	}
	for _, n := range []int{2, 4} {
		if got, err := apart.Unpack(packed.Bytes(), n); !errors.Is(err, apart.ErrAnswer) {
			t.Errorf("%d parts: got %q, %v", n, got, err)
		}
	}
}

// FuzzUnpack: whatever is read as parts is what Pack makes of them.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x00\x00\x00\x00x\xff\xff\xff\xff\xff\xff\xff\xff"), 2)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		parts, err := apart.Unpack(data, n&7)
		if err != nil {
			return
		}
		var packed bytes.Buffer
		if err := apart.Pack(&packed, parts...); err != nil || !bytes.Equal(packed.Bytes(), data) {
			t.Errorf("got %q, %v; want %q", packed.Bytes(), err, data)
		}
	})
}
