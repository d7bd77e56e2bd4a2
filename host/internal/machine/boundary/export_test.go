package boundary

// SudoGrants and DoasGrants read one file each, for the tests.
func SudoGrants(file, text string, a Account) []Grant {
	var s sudoers
	s.parse(file, text)
	return s.grants(a)
}

var (
	DoasGrants          = doasGrants
	LoginCapabilities   = loginCapabilities
	ProcessCapabilities = processCapabilities
	FindAccount         = findAccount
)
