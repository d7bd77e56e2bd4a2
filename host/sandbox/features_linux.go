package sandbox

func tracks() bool { return bestTracking() != untracked }
