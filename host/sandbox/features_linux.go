package sandbox

func tracks() bool { return tracking() }
