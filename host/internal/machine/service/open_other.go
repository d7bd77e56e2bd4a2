//go:build !unix

package service

import "os"

func openNoFollow(path string) (*os.File, error) { return os.Open(path) }
