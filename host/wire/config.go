package wire

// ConfigState is the state of the configuration file.
type ConfigState struct {
	// File is where the configuration is read from; empty when there is none.
	File string `json:"file"`
	// Accepted is the digest of the last configuration accepted by a person, or accepted without
	// need of one.
	Accepted string `json:"accepted"`
	// Pending is the digest of the file when it waits to be accepted;
	// empty when the file holds as it is.
	Pending string `json:"pending,omitempty"`
	// Widenings are the changes waiting for acceptance. The file's tightening changes hold.
	Widenings []PendingChange `json:"widenings"`
	// Problem says why the file as it is now could not be read.
	Problem string `json:"problem,omitempty"`
	// Given are the profiles of agents in place of the file's, one sentence each: callgate profiles
	// takes them back.
	Given []string `json:"given,omitempty"`
}

// PendingChange is one line of the difference between the configuration in force and a changed
// file. It does not hold before a person accepts the file as a whole.
type PendingChange struct {
	// Where is its path of keys, Line its line in the changed file; zero when it is gone there.
	Where string `json:"where"`
	Line  int    `json:"line,omitempty"`
	// Was is the value in force, Will the file's; empty for nothing at all.
	Was  string `json:"was"`
	Will string `json:"will"`
}
