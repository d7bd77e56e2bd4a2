package sandbox

// Features are what a Runtime has on the system it runs on. Without any of them
// the same holds, only slower.
type Features struct {
	// Tracking tells that the system says which pages a call wrote, so that only
	// these are put back; without it all of an instance's memory is. Instances then
	// share what they do not write.
	Tracking bool `json:"tracking"`
	// Kept tells that compiled code is kept for the next start.
	Kept bool `json:"kept"`
}

// Features looks at the system that r runs on.
func (r *Runtime) Features() Features {
	return Features{Tracking: tracks(), Kept: r.kept != nil}
}
