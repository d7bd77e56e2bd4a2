package compileproc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/compileproc"
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
var limits = compileproc.Limits{Time: 7 * time.Second, Bytes: 64 << 20, Processors: 2}

// work carries out its order.
func work() error {
	told, err := compileproc.Receive(os.Stdin, 2)
	if err != nil {
		return err
	}
	if err := compileproc.Confine(limits); err != nil {
		return err
	}
	switch string(told[0]) {
	case "echo":
		return compileproc.Pack(os.Stdout, told[1])
	case "tell":
		return compileproc.Pack(os.Stdout, state())
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
	return compileproc.Run(t.Context(), []string{program, "worker"}, 1<<20, parts...)
}

func TestRun(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte("x"), 1<<19) // more than a pipe holds
	out, err := run(t, []byte("echo"), want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := compileproc.Unpack(out, 1); err != nil || !bytes.Equal(got[0], want) {
		t.Errorf("got %d bytes, %v; want %d", len(out), err, len(want))
	}
}

func TestRun_fails(t *testing.T) {
	t.Parallel()
	for name, parts := range map[string][][]byte{
		"what?":               {[]byte("sing"), nil},
		"it answers too much": {[]byte("echo"), make([]byte, 1<<20)},
	} {
		var failed *compileproc.Failure
		out, err := run(t, parts...)
		if !errors.As(err, &failed) || failed.Said != name && failed.Unwrap().Error() != name {
			t.Errorf("%s: got %d bytes, %v", name, len(out), err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := compileproc.Run(ctx, []string{"/nowhere"}, 0); err == nil {
		t.Error("nothing was started, and nothing said")
	}
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	parts := [][]byte{[]byte("one"), {}, []byte("three")}
	if err := compileproc.Pack(&packed, parts...); err != nil {
		t.Fatal(err)
	}
	got, err := compileproc.Unpack(packed.Bytes(), 3)
	if err != nil || !slices.EqualFunc(got, parts, bytes.Equal) {
		t.Errorf("got %q, %v; want %q", got, err, parts)
	}
	for n := range packed.Len() {
		if got, err := compileproc.Unpack(packed.Bytes()[:n], 3); !errors.Is(err, compileproc.ErrAnswer) {
			t.Errorf("%d bytes: got %q, %v", n, got, err)
		}
	}
	for _, n := range []int{2, 4} {
		if got, err := compileproc.Unpack(packed.Bytes(), n); !errors.Is(err, compileproc.ErrAnswer) {
			t.Errorf("%d parts: got %q, %v", n, got, err)
		}
	}
}

// FuzzUnpack: any bytes read as parts equal Pack's output of them.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x00\x00\x00\x00x\xff\xff\xff\xff\xff\xff\xff\xff"), 2)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		parts, err := compileproc.Unpack(data, n&7)
		if err != nil {
			return
		}
		var packed bytes.Buffer
		if err := compileproc.Pack(&packed, parts...); err != nil || !bytes.Equal(packed.Bytes(), data) {
			t.Errorf("got %q, %v; want %q", packed.Bytes(), err, data)
		}
	})
}
