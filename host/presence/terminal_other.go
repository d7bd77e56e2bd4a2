//go:build !linux && !darwin

package presence

const supported = false

func inspect(int) (seen, error) { return seen{}, ErrUnsupported }
