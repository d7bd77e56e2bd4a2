package config

import "errors"

// The errors of accepting a file.
var (
	// ErrNothingPending means the file holds as it is.
	ErrNothingPending = errors.New("no configuration changes are pending; the file is in effect")
	// ErrChangedSince means the file has changed since it was shown.
	ErrChangedSince = errors.New("the configuration changed after it was shown; show it again: callgate config status")
)
