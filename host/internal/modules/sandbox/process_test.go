package sandbox_test

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// measureProcess collects garbage and returns the rest. Unknown values are 0.
func measureProcess() process {
	runtime.GC()
	debug.FreeOSMemory()
	p := process{goroutines: runtime.NumGoroutine()}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		p.files = len(files)
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil {
		p.mappings = bytes.Count(maps, []byte("\n"))
	}
	if statm, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(statm)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64) // 0 is as good as not told
			p.resident = pages * int64(os.Getpagesize())
		}
	}
	return p
}

// settled measures until nothing is left to collect: cleanups run some time after their
// collection.
func settled(before process) process {
	p := measureProcess()
	for range 50 {
		if p.beyond(before) == nil {
			break
		}
		runtime.Gosched()
		p = measureProcess()
	}
	return p
}
