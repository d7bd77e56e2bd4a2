package program

// Ready compiles the rows of keys, the program's name and its sub-command words with blanks
// between. A module does so before the snapshot of its state, so that each call starts with
// them: rows compiled during a call are lost with it.
func Ready(keys ...string) {
	for _, key := range keys {
		find(key)
	}
}
