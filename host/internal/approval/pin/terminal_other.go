//go:build !linux && !darwin

package pin

const supported = false

func inspect(int) (seen, error) { return seen{}, ErrUnsupported }
