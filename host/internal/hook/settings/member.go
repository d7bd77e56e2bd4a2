package settings

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"github.com/go-json-experiment/json/jsontext"
)

// AddMember adds a member to the object of a JSON file, in the file's layout, and makes the file
// when it is missing. A member of this name that is there stays, and kept reports that it has
// another value. The former text is kept beside the file.
func AddMember(path, name string, value jsontext.Value, dry bool) (r Result, kept bool, err error) {
	var before []byte
	r, err = Edit(path, User, dry, func(text []byte) ([]byte, error) {
		d, err := parse(path, text)
		if err != nil {
			return nil, err
		}
		if have := d.root.member(name); have != nil {
			kept = !equal(d.raw(have), value)
			return text, nil
		}
		before = text
		if before != nil && !dry {
			if _, err := Edit(path+backupSuffix, User, false, func([]byte) ([]byte, error) { return before, nil }); err != nil {
				return nil, err
			}
		}
		return withMember(path, text, name, value)
	})
	return r, kept, err
}

// withMember is a text with one member more.
func withMember(path string, text []byte, name string, value jsontext.Value) ([]byte, error) {
	ed := &editor{file: path, text: text}
	d, err := ed.parse()
	if err != nil {
		return nil, err
	}
	if d.root == nil {
		ed.text = append(append([]byte{}, text...), "{}\n"...)
		if d, err = ed.parse(); err != nil {
			return nil, err
		}
	}
	err = ed.add(d, d.root, name, value)
	return ed.text, err
}

// RemoveMember undoes AddMember: when nothing else has changed, the file is as it was before, to the
// byte, or gone; otherwise the member goes. A member of another value stays.
func RemoveMember(path, name string, value jsontext.Value, dry bool) (Result, error) {
	restored := false
	r, err := Edit(path, User, dry, func(text []byte) ([]byte, error) {
		d, err := parse(path, text)
		if err != nil {
			return nil, err
		}
		have := d.root.member(name)
		if have == nil || !equal(d.raw(have), value) {
			return text, nil
		}
		before, err := load(path + backupSuffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if again, err := withMember(path, before, name, value); err == nil && bytes.Equal(again, text) {
			restored = true
			return before, nil // nil: there was no file
		}
		ed := &editor{file: path, text: text}
		ed.remove(d.root, d.root.index(name))
		return ed.text, nil
	})
	r.Restored = restored && err == nil
	if err == nil && restored && !dry {
		if err = os.Remove(path + backupSuffix); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return r, err
}
