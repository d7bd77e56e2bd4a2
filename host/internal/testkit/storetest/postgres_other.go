//go:build !unix

package storetest

import (
	"errors"
	"syscall"
)

func giveToServer(string) error { return errors.New("tests start it on unix only") }

func asServer() *syscall.SysProcAttr { return nil }
