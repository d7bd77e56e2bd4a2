// Package compileproc runs a piece of work in another process: the same program, started again,
// without the environment, files and rights of this one and with limits on time and memory. Its
// failure leaves this process unharmed.
//
// Both sides send parts: each is its length in 8 bytes, little endian, and so many bytes. The
// worker's input stays open for the life of its starter, and the worker ends with it.
package compileproc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Limits are a worker's limits.
type Limits struct {
	// Time is the time of its work on each processor. The system ends it then, where it can:
	// waiting for a processor does not count.
	Time time.Duration
	// Bytes is the memory beyond that of the program itself. Only Linux enforces it; the
	// collector tries to everywhere.
	Bytes int64
	// Processors is how many it uses at once.
	Processors int
}

// ErrAnswer means: a worker's answer has the wrong form.
var ErrAnswer = errors.New("its answer is no answer, or cut off")

// Pack writes parts one after the other.
func Pack(w io.Writer, parts ...[]byte) error {
	for _, p := range parts {
		if _, err := w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(p)))); err != nil {
			return err
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// Unpack returns the n parts of data; anything more is an error. They share its memory.
func Unpack(data []byte, n int) ([][]byte, error) {
	parts := make([][]byte, 0, n)
	for range n {
		if len(data) < 8 {
			return nil, ErrAnswer
		}
		size := binary.LittleEndian.Uint64(data)
		data = data[8:]
		if size > uint64(len(data)) {
			return nil, ErrAnswer
		}
		parts, data = append(parts, data[:size:size]), data[size:]
	}
	if len(data) > 0 {
		return nil, ErrAnswer
	}
	return parts, nil
}

// Receive reads the n parts from this worker's trusted starter. From then on the process ends
// with its starter.
func Receive(in io.Reader, n int) ([][]byte, error) {
	var parts [][]byte
	for range n {
		var size [8]byte
		if _, err := io.ReadFull(in, size[:]); err != nil {
			return nil, fmt.Errorf("read what to do: %w", err)
		}
		var part bytes.Buffer
		if _, err := io.CopyN(&part, in, int64(binary.LittleEndian.Uint64(size[:]))); err != nil {
			return nil, fmt.Errorf("read what to do: %w", err)
		}
		parts = append(parts, part.Bytes())
	}
	go func() {
		_, _ = io.Copy(io.Discard, in) // until the starter is gone
		os.Exit(1)
	}()
	return parts, nil
}
