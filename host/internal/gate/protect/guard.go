package protect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
)

// Facts are the daemon's facts about itself. Paths are absolute; an empty one stands for
// nothing. The zero Facts protect the agent's settings alone.
type Facts struct {
	// Home is the home directory of the account the daemon runs as.
	Home string
	// Config, State, Cache and Modules are directories: nothing in them may be
	// written, nothing below State read.
	Config, State, Cache, Modules string
	// ConfigFile and Store may lie elsewhere. Files whose names begin with the store's name
	// (journals, backups, locks) belong to it.
	ConfigFile, Store string
	// Secrets are files proving the identity of people and the daemon: no call may read or
	// write them.
	Secrets []string
	// Binary is the daemon's program.
	Binary string
	// Path are the directories of a shell's program search.
	Path []string
	// PID and Parent are process numbers; zero stands for none.
	PID, Parent int
	// Names are the names of the two processes, CommandLines their command lines.
	Names, CommandLines []string
	// Hostname is the machine's own name.
	Hostname string
	// Multiplexed means: the daemon runs inside tmux or screen.
	Multiplexed bool
}

// Own are the facts of the process itself, but for its directories and files.
func Own() Facts {
	f := Facts{PID: os.Getpid(), Parent: os.Getppid(), CommandLines: []string{strings.Join(os.Args, " "), "callgate serve"}, Path: filepath.SplitList(os.Getenv("PATH"))}
	f.Names = []string{"callgate", hookProgram, filepath.Base(os.Args[0])}
	if exe, err := os.Executable(); err == nil {
		f.Binary = exe
		f.Names = append(f.Names, filepath.Base(exe))
	}
	if name, line := processNames(f.Parent); name != "" {
		f.Names, f.CommandLines = append(f.Names, name), append(f.CommandLines, line)
	}
	f.Hostname, _ = os.Hostname() // without one, the other names of this machine remain
	f.Multiplexed = os.Getenv("TMUX") != "" || os.Getenv("STY") != ""
	return f
}

// patience is how long looking at the marks of a call may take. It is longer
// than the gate's own, because running out of it denies.
const patience = 2 * time.Second

// Guard finds calls that would touch the gate itself. It is safe for concurrent use.
type Guard struct {
	facts    Facts
	places   []place
	binary   os.FileInfo
	search   []string // the directories of a shell's program search, with a separator behind each
	resolver *target.Resolver
	endpoint atomic.Pointer[endpoint]
	// beside are further addresses.
	beside atomic.Pointer[[]*endpoint]
}

// New returns a guard over the facts.
func New(f Facts) *Guard {
	g := &Guard{facts: f, resolver: &target.Resolver{FS: target.OS(), Limits: target.Limits{Time: patience}}}
	g.places = placesOf(f)
	for _, dir := range f.Path[:min(len(f.Path), 64)] {
		if dir != "" {
			dir += string(filepath.Separator)
		}
		g.search = append(g.search, dir)
	}
	if info, err := os.Stat(f.Binary); err == nil {
		g.binary = info
	}
	g.endpoint.Store(&endpoint{})
	g.beside.Store(&[]*endpoint{})
	return g
}

// Answers tells where the daemon answers: network "unix" and a path, or "tcp"
// and an address with port.
func (g *Guard) Answers(network, address string) { g.endpoint.Store(newEndpoint(network, address)) }

// AnswersBeside adds a further address, in the same form, where the daemon takes answers: an
// endpoint for a chat's servers, the console's port.
func (g *Guard) AnswersBeside(network, address string) {
	for added := newEndpoint(network, address); ; {
		known := g.beside.Load()
		all := append(slices.Clone(*known), added)
		if g.beside.CompareAndSwap(known, &all) {
			return
		}
	}
}

// endpoints are all addresses of the daemon.
func (g *Guard) endpoints() []*endpoint {
	return append([]*endpoint{g.endpoint.Load()}, *g.beside.Load()...)
}

// ports are the daemon's ports on this machine.
func (g *Guard) ports() (ports []string) {
	for _, e := range g.endpoints() {
		if e.port != "" {
			ports = append(ports, e.port)
		}
	}
	return ports
}

// Protect says why a call would touch the gate itself; empty when it would not. The call's
// targets are as resolved by the host, and include the module's marks. An unknown effect counts
// as touching it.
func (g *Guard) Protect(call *engine.Call) string {
	j := newJudge(g, call)
	targets, why := j.resolved(call.Context.Targets)
	if why != "" {
		return why
	}
	for _, t := range targets {
		if why := j.target(t); why != "" {
			return why
		}
	}
	if len(targets) == 0 || call.Context.TargetsUnknown || strings.HasPrefix(call.Tool, "mcp__") {
		// The meaning of an MCP tool's input is unknown: its module names only the targets it
		// recognised.
		return j.leaves()
	}
	return ""
}

// judge looks at one call.
type judge struct {
	*Guard
	call *engine.Call
	// project are the protected files of the call's own project.
	project []place
	// looked counts the paths from texts already looked at.
	looked int
	// paths are those from texts, to be looked at together.
	paths []engine.Target
}

func newJudge(g *Guard, call *engine.Call) *judge {
	return &judge{Guard: g, call: call, project: projectPlaces(g.facts.Home, &call.Context)}
}

// target judges one target or mark.
func (j *judge) target(t engine.Target) string {
	switch t.Kind {
	case "path":
		return j.path(t)
	case "tree":
		if strings.HasPrefix(t.Value, inUnknown) {
			return j.unplaced(t)
		}
		return j.tree(t)
	case "program":
		return j.program(t)
	case "process":
		return j.process(t.Value)
	case "service":
		return j.service(t)
	case "terminal":
		return "it types into a terminal (" + t.Value + "), where it could answer for a person"
	case "endpoint":
		return j.address(t.Value)
	}
	return "" // a host is judged by its endpoint; MCP objects are no places
}
