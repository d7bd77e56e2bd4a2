package securedir

import "errors"

// ErrForeign means that WriteSigned did not write the file with this key for this purpose.
var ErrForeign = errors.New("not authentic: damaged, or made with another key")

// WriteSigned is Write with an authentication code before the data, for ReadSigned. The file
// is synced.
func (d *Dir) WriteSigned(key *Key, name, purpose string, data []byte) error {
	return d.Write(name, true, key.MAC(purpose, data), data)
}

// ReadSigned reads a file written by WriteSigned with the same key for the same purpose; most
// bounds it, including its code. Another file is ErrForeign.
func (d *Dir) ReadSigned(key *Key, name, purpose string, most int64) ([]byte, error) {
	all, err := d.Read(name, most)
	if err != nil {
		return nil, err
	}
	if len(all) < MACSize || !key.Authentic(all[:MACSize], purpose, all[MACSize:]) {
		return nil, ErrForeign
	}
	return all[MACSize:], nil
}
