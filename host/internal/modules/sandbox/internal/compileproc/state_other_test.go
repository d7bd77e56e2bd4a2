//go:build !linux

package compileproc_test

func state() []byte { return nil }
