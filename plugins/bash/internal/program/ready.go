package program

// Ready compiles the rows of keys, the program's name and its sub-command words
// with blanks between. A module does so before its state is taken, with which
// every call begins: what a call compiles itself the next one compiles again.
func Ready(keys ...string) {
	for _, key := range keys {
		find(key)
	}
}
