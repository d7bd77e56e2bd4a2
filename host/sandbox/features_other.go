//go:build !linux

package sandbox

func tracks() bool { return false }
