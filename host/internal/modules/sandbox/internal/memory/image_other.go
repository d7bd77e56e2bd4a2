//go:build !linux

package memory

// imageFile would be an image as a file for mapping.
type imageFile struct{}

func (*imageFile) store([]byte) []byte { return nil }

func (*imageFile) lay([]byte, int) bool { return false }

func (*imageFile) free([]byte) {}
