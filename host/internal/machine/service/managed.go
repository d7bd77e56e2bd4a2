package service

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// entry is the hook as the managed settings hold it.
func (j *job) entry() (settings.Entry, error) {
	e := settings.Entry{
		Binary: j.layout.hook, Endpoint: "unix:" + j.layout.socket, TokenFile: filepath.Join(j.layout.agents, j.Agent+".token"), Timeout: j.HookTimeout,
	}
	daemon, err := j.System.Account(j.layout.account)
	if errors.Is(err, boundary.ErrNoAccount) {
		return e, nil // told before the account is made: its number is not known yet
	}
	e.DaemonUID = &daemon.UID
	return e, err
}

// managedText is the managed settings with the hook in them.
func managedText(j *job) ([]byte, error) {
	e, err := j.entry()
	if err != nil {
		return nil, err
	}
	have, err := os.ReadFile(j.at(j.layout.managed))
	if errors.Is(err, fs.ErrNotExist) {
		return settings.ManagedText(e)
	}
	if err != nil {
		return nil, err
	}
	if off, err := switchedOff(have); err != nil || off {
		return nil, fmt.Errorf("%s switches hooks off (disableAllHooks) or cannot be read; fix that first (%w)", j.layout.managed, orNone(err))
	}
	c, err := settings.Install(j.layout.managed, have, e)
	return c.Text, err
}

func orNone(err error) error {
	if err == nil {
		return errors.New("already true there")
	}
	return err
}

// switchedOff tells whether settings switch every hook off.
func switchedOff(text []byte) (bool, error) {
	var s struct {
		DisableAllHooks bool `json:"disableAllHooks"`
	}
	if len(text) == 0 {
		return false, nil
	}
	err := json.Unmarshal(text, &s)
	return s.DisableAllHooks, err
}

// othersMayHook reports whether managed settings let other hooks run beside ours.
func othersMayHook(text []byte) bool {
	var s struct {
		ManagedOnly bool `json:"allowManagedHooksOnly"`
	}
	return json.Unmarshal(text, &s) != nil || !s.ManagedOnly
}
