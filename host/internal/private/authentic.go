package private

import "errors"

// ErrForeign is a file that WriteAuthentic did not write with this key for this
// purpose.
var ErrForeign = errors.New("not authentic: damaged, or made with another key")

// WriteAuthentic is Write with what ReadAuthentic knows the data by before it. The file
// is synced.
func (d *Dir) WriteAuthentic(key *Key, name, purpose string, data []byte) error {
	return d.Write(name, true, key.MAC(purpose, data), data)
}

// ReadAuthentic is Read of a file that WriteAuthentic wrote with the same key for the
// same purpose; most bounds it with what stands before its data. Another one is
// ErrForeign.
func (d *Dir) ReadAuthentic(key *Key, name, purpose string, most int64) ([]byte, error) {
	all, err := d.Read(name, most)
	if err != nil {
		return nil, err
	}
	if len(all) < MACSize || !key.Authentic(all[:MACSize], purpose, all[MACSize:]) {
		return nil, ErrForeign
	}
	return all[MACSize:], nil
}
