package pin

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"

	"golang.org/x/crypto/argon2"
)

// cost says how slow a hash is.
type cost struct {
	Passes    uint32 `json:"passes"`
	MemoryKiB uint32 `json:"memory_kib"`
	Threads   uint8  `json:"threads"`
}

// usual is the second choice of RFC 9106, section 4, with one thread:
// 110 ms and 64 MiB for one try on the two shared cores it was measured on.
var usual = cost{Passes: 3, MemoryKiB: 64 << 10, Threads: 1}

// The lengths of salt and key in bytes; RFC 9106, section 4.
const saltLength, keyLength = 16, 32

// digest is a stored PIN, with everything needed to check a try.
type digest struct {
	Algorithm string `json:"algorithm"`
	Cost      cost   `json:"cost"`
	Salt      []byte `json:"salt"`
	Key       []byte `json:"key"`
}

const argon2id = "argon2id"

func digestOf(pin string, c cost) *digest {
	d := &digest{Algorithm: argon2id, Cost: c, Salt: make([]byte, saltLength)}
	rand.Read(d.Salt)
	d.Key = d.derive(pin)
	return d
}

func (d *digest) derive(pin string) []byte {
	return argon2.IDKey([]byte(pin), d.Salt, d.Cost.Passes, d.Cost.MemoryKiB, d.Cost.Threads, keyLength)
}

// is reports whether the digest is of this PIN; it takes as long for a wrong one.
func (d *digest) is(pin string) bool { return subtle.ConstantTimeCompare(d.derive(pin), d.Key) == 1 }

// check refuses a digest beyond reasonable time and memory.
func (d *digest) check() error {
	switch {
	case d.Algorithm != argon2id:
		return errors.New("unknown algorithm; want " + argon2id)
	case len(d.Salt) != saltLength || len(d.Key) != keyLength:
		return errors.New("its salt or key has the wrong length")
	case d.Cost.Passes < 1 || d.Cost.Passes > 100 || d.Cost.MemoryKiB < 8 || d.Cost.MemoryKiB > 1<<20 || d.Cost.Threads < 1:
		return errors.New("its cost is out of range")
	}
	return nil
}
