//go:build !linux

package main

import "time"

// processorTime is not told of a process that runs.
func processorTime(int) (time.Duration, error) { return 0, nil }

// privateMemory is not told here.
func privateMemory(int) (int, error) { return 0, nil }
