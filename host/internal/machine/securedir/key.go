package securedir

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Key authenticates the host's own files, by HMAC-SHA256. Only its account can read it.
type Key struct{ secret [32]byte }

// MACSize is the length of a MAC in bytes.
const MACSize = sha256.Size

// MAC authenticates the parts, one after the other, for one purpose: a MAC made
// for one means nothing for another. Lengths of parts are not part of it.
func (k *Key) MAC(purpose string, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, k.secret[:])
	_, _ = fmt.Fprintf(h, "%d:%s", len(purpose), purpose) // a hash takes everything
	for _, p := range parts {
		_, _ = h.Write(p)
	}
	return h.Sum(nil)
}

// Authentic reports whether mac is the MAC of the parts, in constant time.
func (k *Key) Authentic(mac []byte, purpose string, parts ...[]byte) bool {
	return hmac.Equal(mac, k.MAC(purpose, parts...))
}

// keyFile holds the key of a directory.
const keyFile = "key"

// Key returns the directory's key, made at first use. A damaged one, or one readable or writable by
// others, is replaced: everything authenticated with it is foreign from then on.
func (d *Dir) Key() (*Key, error) {
	key, err := d.readKey()
	if err == nil {
		return key, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		if err := d.root.RemoveAll(keyFile); err != nil {
			return nil, fmt.Errorf("replace the key: %w", err)
		}
	}
	key = new(Key)
	_, _ = rand.Read(key.secret[:]) // never fails
	// Of two processes making one at the same time, the first one's counts.
	if err := d.place(keyFile, true, d.linked, [][]byte{key.secret[:]}); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make the key: %w", err)
	}
	return d.readKey()
}

// LoadKey returns the directory's key, or fs.ErrNotExist. It makes and replaces none.
func (d *Dir) LoadKey() (*Key, error) { return d.readKey() }

// linked gives a file another name, unless the name exists, and opens the first one. File systems
// without hard links take the last of two.
func (d *Dir) linked(from, to string) error {
	err := d.root.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, d.root.Remove(from))
	}
	return d.root.Rename(from, to)
}

func (d *Dir) readKey() (*Key, error) {
	f, info, err := d.openFile(keyFile, 0o077)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	key := new(Key)
	if info.Size() != int64(len(key.secret)) {
		return nil, fmt.Errorf("%s: %d bytes: want %d", d.Path(keyFile), info.Size(), len(key.secret))
	}
	_, err = io.ReadFull(f, key.secret[:])
	return key, err
}
