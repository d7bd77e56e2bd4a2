// Package apart has a piece of work done by another process: the same program,
// started again, that has neither the environment, the files nor the rights of this
// one and may use so much time and memory. Whatever becomes of it, this process
// goes on.
//
// Both sides send parts: each is its length in 8 bytes, little endian, and so many
// bytes. The worker's input stays open for as long as the one that started it
// lives, and the worker ends with it.
package apart

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Limits are what a worker may use.
type Limits struct {
	// Time is what its work may take. Run ends it then, by ctx; should Run be
	// unable to, the system does after as much time of each processor, where it can.
	Time time.Duration
	// Bytes is the memory beyond what the program itself takes. Only Linux holds a
	// worker to it; the collector tries to everywhere.
	Bytes int64
	// Processors is how many it uses at once.
	Processors int
}

// ErrAnswer tells that a worker's answer is not one.
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

// Unpack returns the n parts of data, which must hold nothing else. They share its memory.
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

// Receive reads the n parts of the one that started this worker, whom it trusts.
// From then on the process ends when that one does.
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
		_, _ = io.Copy(io.Discard, in) // until there is nobody left
		os.Exit(1)
	}()
	return parts, nil
}
