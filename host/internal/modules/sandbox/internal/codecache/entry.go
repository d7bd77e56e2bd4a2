package codecache

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/callgate/callgate/host/internal/machine/securedir"
)

// Entry is the kept form of one compiled module.
type Entry struct {
	// Facts are the host's facts about the module, in its own words.
	Facts []byte
	// Stub is the module without its code; the engine reads it instead.
	Stub []byte
	// Code is the engine's code of the module.
	Code []byte
}

// magic begins an entry; its number changes with the form.
const magic = "callgate code 1\n"

// purpose is the purpose of an entry's MAC.
const purpose = "compiled code"

// An entry is magic, MAC, identity, three lengths of 8 bytes, and the three parts. The MAC
// covers everything after it; magic and lengths add no information.
const (
	macAt      = len(magic)
	idAt       = macAt + securedir.MACSize
	lengthsAt  = idAt + len(ID{})
	headerSize = lengthsAt + 3*8
)

var errForm = errors.New("not an entry, or cut off")

// header is the beginning of an entry, for parts to follow.
func (e *Entry) header(id ID, key *securedir.Key) []byte {
	h := make([]byte, 0, headerSize)
	h = append(h, magic...)
	h = h[:idAt]
	h = append(h, id[:]...)
	for _, part := range e.parts() {
		h = binary.LittleEndian.AppendUint64(h, uint64(len(part)))
	}
	copy(h[macAt:], key.MAC(purpose, h[idAt:], e.Facts, e.Stub, e.Code))
	return h
}

func (e *Entry) parts() [3][]byte { return [3][]byte{e.Facts, e.Stub, e.Code} }

// open returns the entry in data, sharing its memory, after checking its key and identity.
func open(data []byte, id ID, key *securedir.Key) (*Entry, error) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return nil, errForm
	}
	if !key.Authentic(data[macAt:idAt], purpose, data[idAt:]) {
		return nil, errors.New("not authentic: damaged, or made with another key")
	}
	if !bytes.Equal(data[idAt:lengthsAt], id[:]) {
		return nil, errors.New("the entry of another module")
	}
	var parts [3][]byte
	rest := data[headerSize:]
	for i := range parts {
		n := binary.LittleEndian.Uint64(data[lengthsAt+8*i:])
		if n > uint64(len(rest)) {
			return nil, errForm
		}
		parts[i], rest = rest[:n:n], rest[n:]
	}
	if len(rest) > 0 {
		return nil, errForm
	}
	return &Entry{Facts: parts[0], Stub: parts[1], Code: parts[2]}, nil
}
