package main

import (
	"fmt"
	"slices"
)

// aim is one figure of the design: of over by, less minus, and what it is to
// be at least or, when that is 0, at most. over and minus may be absent.
type aim struct {
	figure          string
	of, over, minus string // keys of figures
	scale           float64
	unit            string
	atLeast, atMost float64
	// free tells that the design gives no aim: the figure is only shown.
	free bool
}

// measured returns the aim's value and how it came about; false when a part of
// it was not measured.
func (a aim) measured(f figures) (value float64, parts string, ok bool) {
	value, ok = f[a.of]
	if a.minus != "" {
		less, found := f[a.minus]
		parts, ok = fmt.Sprintf("%s - %s", shown(value, a.of), shown(less, a.minus)), ok && found
		value -= less
	}
	if a.over != "" {
		by, found := f[a.over]
		parts, ok = fmt.Sprintf("%s / %s", shown(value, a.of), shown(by, a.over)), ok && found && by > 0
		value /= by
	}
	if a.scale != 0 {
		value /= a.scale
	}
	return value, parts, ok
}

// shown renders a part: nanoseconds as microseconds.
func shown(v float64, key string) string {
	var name, unit string
	if _, err := fmt.Sscan(key, &name, &unit); err != nil {
		return number(v)
	}
	if len(unit) > 3 && unit[:3] == "ns/" {
		return number(v/1000) + " µs"
	}
	return number(v)
}

// beside compares whole calls with the peer's, and with the same host without
// restoring.
func beside(name string, peer, restored, fuel float64) []aim {
	aims := []aim{
		{figure: name + ": whole call, times faster than go-sdk with its time-out", of: "Peer/" + name + " ns/peer", over: "Peer/" + name + " ns/ours", atLeast: peer},
		{figure: name + ": state restored, against the same host without", of: "Inside/" + name + " ns/restored", over: "Inside/" + name + " ns/kept", atMost: restored},
	}
	if fuel > 0 {
		aims = append(aims, aim{figure: name + ": with fuel, against without", of: "Inside/" + name + " ns/kept", over: "Inside/" + name + " ns/unmetered", atMost: fuel})
	}
	return aims
}

// commands are the figures of issue 5: the bash module on realistic command lines,
// and rule sets in one call, whose cost is to grow slower than the rules.
var commands = []aim{
	{figure: "check and match of a command line (300 of them): median", of: "Commands ns/sandbox", scale: 1000, unit: "µs", free: true},
	{figure: "check and match of a command line: p99", of: "Commands ns/sandbox-p99", scale: 1000, unit: "µs", free: true},
	{figure: "check and match of a command line, times the same code natively: median", of: "Commands ns/sandbox", over: "Commands ns/native", free: true},
	{figure: "check and match of a command line, times the same code natively: p99", of: "Commands ns/sandbox-p99", over: "Commands ns/native-p99", free: true},
	{figure: "10 rules matched in one call", of: "Rules/10 ns/sandbox", scale: 1000, unit: "µs", free: true},
	{figure: "100 rules matched in one call", of: "Rules/100 ns/sandbox", scale: 1000, unit: "µs", free: true},
	{figure: "1,000 rules matched in one call", of: "Rules/1000 ns/sandbox", scale: 1000, unit: "µs", free: true},
	{figure: "100 rules, against 10", of: "Rules/100 ns/sandbox", over: "Rules/10 ns/sandbox", atMost: 10},
	{figure: "1,000 rules, against 100", of: "Rules/1000 ns/sandbox", over: "Rules/100 ns/sandbox", atMost: 10},
}

// aims are the figures of issue 4, in its order, then those of issue 5.
var aims = slices.Concat(
	beside("C", 30, 1.8, 1.35),
	beside("AssemblyScript", 10, 1.1, 0),
	beside("Go", 4, 1.1, 1.2),
	beside("Go+sh", 4, 1.1, 0),
	[]aim{
		{figure: "empty verb, against raw CallWithStack", of: "Empty ns/kept", over: "Empty ns/raw", atMost: 8},
		{figure: "empty verb: restoring adds", of: "Empty ns/restored", minus: "Empty ns/kept", scale: 1000, unit: "µs", atMost: 1},
		{figure: "heap allocations of a call (C, AssemblyScript, Go)", of: "Allocations allocs/call", atMost: 0},
		{figure: "two cores, against one (C)", of: "Cores/C calls/two", over: "Cores/C calls/one", atLeast: 1.9},
		{figure: "two cores, against one (Go)", of: "Cores/Go calls/two", over: "Cores/Go calls/one", atLeast: 1.9},
		{figure: "two cores, against one (nothing but a loop: the machine)", of: "Cores/loop calls/two", over: "Cores/loop calls/one", atLeast: 1.9},
		{figure: "private memory of an idle instance (C)", of: "Memory/C KiB/idle", unit: "KiB", atMost: 64},
		{figure: "private memory of an idle instance (Go)", of: "Memory/Go KiB/idle", unit: "KiB", atMost: 400},
		{figure: "what a panic adds to a call, times cheaper than a new instance (Go)", of: "Recovery ns/new", over: "Recovery ns/added", atLeast: 20},
		{figure: "hostile guest at 16 MiB: overshoot of the deadline, p99", of: "Hostile ns/overshoot-p99", scale: 1e6, unit: "ms", atMost: 1},
		{figure: "hostile guest: pause of Go's collector, p90", of: "Hostile ns/gc-pause-p90", scale: 1e6, unit: "ms", atMost: 1},
		{figure: "good calls while a hostile guest is on each core, p99 against idle", of: "Hostile ns/good-p99", over: "Hostile ns/idle-p99", atMost: 2},
		{figure: "replay: of 40,000 repeats, those that came to something else", of: "Replay changed/calls", atMost: 0},
		{figure: "serve from a warm cache to its first decision", of: "Warmstart ns/cpu", scale: 1e6, unit: "ms of CPU", atMost: 150},
	},
	commands,
)
