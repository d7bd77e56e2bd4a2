package config

import "errors"

// State tells what became of the configuration file.
type State struct {
	// File is where the configuration is read from; empty when there is none.
	File string `json:"file"`
	// Accepted is the digest of the configuration that a person accepted last or
	// that needed nobody to; see Config.Digest.
	Accepted string `json:"accepted"`
	// Pending is the digest of the file when it would widen what was accepted;
	// empty when the file holds as it is.
	Pending string `json:"pending,omitempty"`
	// Widenings are what waits to be accepted. What the file tightens holds.
	Widenings []Widening `json:"widenings"`
	// Problem says why the file as it is now could not be read.
	Problem string `json:"problem,omitempty"`
	// Given are the profiles that agents have in place of the file's, one sentence
	// each: callgate profiles takes them back.
	Given []string `json:"given,omitempty"`
}

// The errors of accepting a file.
var (
	// ErrNothingPending tells that the file holds as it is.
	ErrNothingPending = errors.New("the configuration waits for nothing: the file holds as it is")
	// ErrChangedSince tells that the file is not the one that was shown.
	ErrChangedSince = errors.New("the configuration is not the one that was shown: look at it again with: callgate config status")
)
