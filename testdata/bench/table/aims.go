package main

import (
	"fmt"
	"slices"
)

// aim is one figure that Callgate aims at: of over by, less minus, and what it is to
// be at least or, when that is 0, at most. over and minus may be absent.
type aim struct {
	figure          string
	of, over, minus string // keys of figures
	scale           float64
	unit            string
	atLeast, atMost float64
	// free tells that there is no aim: the figure is only shown.
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

// commands are the figures of the bash module on realistic command lines,
// and rule sets in one call, whose cost is to grow slower than the rules.
var commands = []aim{
	{figure: "check and match of a command line (300 of them): median", of: "Commands ns/sandbox", scale: 1000, unit: "µs", free: true},
	{figure: "check and match of a command line: p99", of: "Commands ns/sandbox-p99", scale: 1000, unit: "µs", free: true},
	{figure: "check and match of a command line, times the same code natively: median", of: "Commands ns/sandbox", over: "Commands ns/native", atMost: 4},
	{figure: "check and match of a command line, times the same code natively: p99", of: "Commands ns/sandbox-p99", over: "Commands ns/native-p99", free: true},
	{figure: "10 rules matched in one call", of: "Rules/10 ns/sandbox", scale: 1000, unit: "µs", free: true},
	{figure: "100 rules matched in one call", of: "Rules/100 ns/sandbox", scale: 1000, unit: "µs", free: true},
	{figure: "1,000 rules matched in one call", of: "Rules/1000 ns/sandbox", scale: 1000, unit: "µs", free: true},
	{figure: "100 rules, against 10", of: "Rules/100 ns/sandbox", over: "Rules/10 ns/sandbox", atMost: 10},
	{figure: "1,000 rules, against 100", of: "Rules/1000 ns/sandbox", over: "Rules/100 ns/sandbox", atMost: 10},
}

// calls are the figures of a whole tool call, and of the daemon.
var calls = []aim{
	{figure: "Gate.Check of a new command line (300 of them), rules of all kinds, audit on: median", of: "Lines ns/median", scale: 1e6, unit: "ms", atMost: 0.7},
	{figure: "the same: allocations", of: "Lines allocs/op", atMost: 300},
	{figure: "the same, times a decision of cedar-go over 100 rules", of: "Lines ns/median", over: "Decide/cedar ns/op", free: true},
	{figure: "Gate.Check of the same line again", of: "Check/gate ns/op", scale: 1e6, unit: "ms", atMost: 0.35},
	{figure: "the same: allocations", of: "Check/gate allocs/op", atMost: 300},
	{figure: "the same, times a decision of cedar-go over 100 rules", of: "Check/gate ns/op", over: "Decide/cedar ns/op", free: true},
	{figure: "Gate.Check from 64 clients", of: "Throughput decisions/s", unit: "decisions/s", atLeast: 4000},
	{figure: "10,000 rules of one tool, against 10", of: "OwnRules/10000 ns/op", over: "OwnRules/10 ns/op", atMost: 3},
	{figure: "a hook process, over true", of: "Hook ns/hook", minus: "Hook ns/true", scale: 1e6, unit: "ms", atMost: 3},
	{figure: "a hook process, times a hook that only parses", of: "Hook ns/hook", over: "Hook ns/parse", atMost: 3},
	{figure: "an MCP call through the proxy, over its check", of: "MCP ns/op", scale: 1e6, unit: "ms", atMost: 2},
	{figure: "serve from nothing to its first decision", of: "Coldstart ns/wall", scale: 1e9, unit: "s", atMost: 1},
	{figure: "serve from a warm cache to its first decision", of: "Warmstart ns/cpu", scale: 1e6, unit: "ms of CPU", atMost: 100},
	{figure: "verifying 1,000,000 rows of the audit: chain and tree", of: "Million/verify ns/op", scale: 1e9, unit: "s", atMost: 10},
	{figure: "verifying the last 1,000 of them, as a start does", of: "Million/start ns/op", scale: 1e6, unit: "ms", atMost: 500},
	{figure: "private memory of an idle daemon after its first decision", of: "Idle KiB/private", scale: 1024, unit: "MiB", atMost: 80},
}

// console are the figures of the web console.
var console = []aim{
	{figure: "console: first page with style and script", of: "FirstPage bytes/page", scale: 1000, unit: "kB", atMost: 100},
	{figure: "console: first page, style and script over loopback", of: "FirstPage ns/op", scale: 1e6, unit: "ms", atMost: 200},
	{figure: "console: a page of Activity on 1,000,000 rows, the slowest filter", of: "ActivityMillion/page ns/slowest", scale: 1e6, unit: "ms", atMost: 100},
	{figure: "simulation over 100,000 calls, one in ten new: an allow rule", of: "Simulate/10000/allow ns/op", scale: 1e9, unit: "s", atMost: 2},
	{figure: "the same: a deny rule", of: "Simulate/10000/deny ns/op", scale: 1e9, unit: "s", atMost: 2},
	{figure: "the same: a deny rule about files", of: "Simulate/10000/files ns/op", scale: 1e9, unit: "s", atMost: 2},
	{figure: "simulation over 100,000 calls, all new: an allow rule", of: "Simulate/100000/allow ns/op", scale: 1e9, unit: "s", free: true},
}

// aims are the figures of whole calls, those of the sandbox beside its peers, then those
// of the commands.
var aims = slices.Concat(
	calls,
	console,
	beside("C", 25, 1.8, 1.35),
	beside("AssemblyScript", 10, 1.1, 0),
	beside("Go", 6.5, 1.1, 1.2),
	beside("Go+sh", 6, 1.1, 0),
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
	},
	commands,
)
