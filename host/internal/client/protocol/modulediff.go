package protocol

// DiffModule wants the answers of two versions of a module to past calls compared: the pinned one's,
// and those of the bytes in the directory of modules.
type DiffModule struct {
	// Back compares with the version before instead, as a rollback would restore it.
	Back bool `json:"back,omitempty"`
	// Digest and Replaces are the versions shown to the person, as in PinModule.
	Digest   string `json:"digest,omitempty"`
	Replaces string `json:"replaces,omitempty"`
	// Days bounds the age of the calls (1 to 365, default 30), Rows the differences returned of each
	// direction (1 to 1000, default 20), Seconds the time for asking (1 to 60, default 5).
	Days    int `json:"days,omitempty"`
	Rows    int `json:"rows,omitempty"`
	Seconds int `json:"seconds,omitempty"`
}
