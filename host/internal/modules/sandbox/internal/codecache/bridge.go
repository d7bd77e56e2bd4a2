package codecache

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"sync"
	"unsafe"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/internal/machine/ready"
)

// Bridge poses as the engine's directory of files: it hands over authenticated code, and
// receives compiled code. wazero itself reads files by their names, without checking their
// author.
type Bridge struct {
	// turn is held from an engine's start on a module until it has asked for code, and
	// with code to load until it is done: wazero shows a module to the next who wants
	// it before all of it is made.
	turn sync.Mutex

	mu   sync.Mutex
	next *job // the module of the current turn
	made *job // the one being compiled
}

// job is one module on its way through the engine.
type job struct {
	code  []byte // nil: to be compiled
	done  func() // gives the turn to the next
	asked bool
	made  []byte
	id    [32]byte
}

// errCode stops an engine from compiling a stub.
var errCode = errors.New("the engine does not take the code that was kept")

// NewBridge returns the bridge of a new cache, to be given to an engine. The error means: this
// version of wazero is built otherwise, and nothing can be kept. RATIONALE.md, "Why does wazero
// get its compiled code from memory?".
func NewBridge() (*Bridge, wazero.CompilationCache, error) {
	b, cache := &Bridge{}, wazero.NewCompilationCache()
	v := reflect.ValueOf(cache)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil, nil, errors.New("wazero's cache is no struct")
	}
	field := v.Elem().FieldByName("fileCache")
	if !field.IsValid() || field.Kind() != reflect.Interface || !reflect.TypeOf(b).Implements(field.Type()) {
		return nil, nil, errors.New("wazero's cache has no files as expected")
	}
	// The field's type cannot be named here; its only other use is a directory of files, read
	// without authentication.
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(b))
	return b, cache, nil
}

// Load runs compile, which makes the engine take a stub, with its kept code.
func (b *Bridge) Load(code []byte, compile func() error) error {
	_, err := b.run(&job{code: code}, compile)
	return err
}

// Compile runs compile and returns the engine's code; nil when the engine has the module
// already. One at a time may run, beside any number of Loads.
func (b *Bridge) Compile(compile func() error) ([]byte, error) {
	return b.run(&job{}, compile)
}

// Identify returns the engine's identifier of the module taken by compile: it depends on the
// module, the engine's form of code and this processor.
func (b *Bridge) Identify(compile func() error) (id [32]byte, ok bool) {
	j := &job{}
	_, err := b.run(j, compile)
	return j.id, err == nil && j.asked
}

func (b *Bridge) run(j *job, compile func() error) ([]byte, error) {
	b.turn.Lock()
	j.done = sync.OnceFunc(b.turn.Unlock)
	defer j.done()
	b.mu.Lock()
	b.next = j
	b.mu.Unlock()
	defer b.forget(j)
	err := compile()
	b.mu.Lock()
	defer b.mu.Unlock()
	return j.made, err
}

func (b *Bridge) forget(j *job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == j {
		b.next = nil
	}
	if b.made == j {
		b.made = nil
	}
}

// Get implements wazero's cache of files.
func (b *Bridge) Get(id [32]byte) (io.ReadCloser, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	j := b.next
	if j == nil {
		return nil, false, nil
	}
	b.next = nil
	j.asked, j.id = true, id
	if j.code == nil {
		j.done()
		b.made = j
		return nil, false, nil
	}
	return &reader{*bytes.NewReader(j.code)}, true, nil
}

// reader gives code to the engine, which reads all of it at once into the memory it runs from.
type reader struct{ bytes.Reader }

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	ready.Pages(p[:min(len(p), r.Len())])
	return r.Reader.Read(p)
}

// Close implements io.Closer.
func (r *reader) Close() error { return nil }

// Add implements wazero's cache of files.
func (b *Bridge) Add(id [32]byte, content io.Reader) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.made == nil || b.made.id != id {
		return nil // made without anyone waiting for it
	}
	var err error
	b.made.made, err = io.ReadAll(content)
	return err
}

// Delete implements wazero's cache of files. It is called for code of another version before a
// new compilation: a stub must not be compiled.
func (b *Bridge) Delete([32]byte) error { return errCode }
