package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/hook/canary"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/telemetry"
	"github.com/callgate/callgate/host/wire"
)

// mib is a mebibyte, the unit of the sandbox's numbers.
const mib = 1 << 20

// sources read the parts of the daemon at each look at the metrics.
func (d *Daemon) sources() telemetry.Sources {
	return telemetry.Sources{
		Asks: func() telemetry.Asks {
			waiting := d.Host.Asks.Waiting(ask.Filter{})
			out := telemetry.Asks{Waiting: len(waiting), Surfaces: max(0, len(d.Host.Asks.Surfaces())-1)}
			for _, a := range waiting {
				out.Oldest = max(out.Oldest, d.now().Sub(a.CreatedAt))
			}
			return out
		},
		Store: func() telemetry.Store {
			ctx, cancel := context.WithTimeout(context.Background(), readyPatience)
			defer cancel()
			return telemetry.Store(d.Host.Store.Stats(ctx))
		},
		Audit:  d.verified.state,
		Hooks:  d.prober.metrics,
		Traces: func() telemetry.Spans { return d.traces.Spans() },
		Pool: func() telemetry.Pool {
			s := d.Host.Sandbox()
			return telemetry.Pool{
				UsedBytes: s.UsedMiB * mib, LimitBytes: s.MemoryMiB * mib, CacheBytes: s.CacheUsedMiB * mib,
				Run: s.AnswersRun, Remembered: s.AnswersRemembered,
			}
		},
		Modules: func() []telemetry.Module {
			var out []telemetry.Module
			for _, u := range d.Host.Catalog.Usage() {
				out = append(out, telemetry.Module(u))
			}
			return out
		},
		Discord: func() telemetry.Discord {
			h := d.chat.health()
			return telemetry.Discord{Configured: h.Configured, Connected: h.Connected, Cards: h.Cards}
		},
	}
}

// readyPatience bounds one look at the store.
const readyPatience = 5 * time.Second

// ready returns why no call, or not every call, can be decided now.
func (d *Daemon) ready(ctx context.Context) (problems []string) {
	ctx, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	if err := d.Host.Store.Ready(ctx); err != nil {
		d.log.Warn("not ready: the store cannot be used", "error", err)
		problems = append(problems, "the store cannot be used; see the daemon's log")
	}
	trying := 0
	for _, p := range d.Host.Catalog.Problems() {
		if errors.Is(p.Err, modules.ErrTrying) {
			trying++
		}
	}
	if trying > 0 {
		problems = append(problems, fmt.Sprintf("modules being compiled and tested: %d", trying))
	}
	return problems
}

// openTelemetry opens the accepted address of the metrics, if there is one.
func (d *Daemon) openTelemetry() error {
	at := d.Host.Accepted().Telemetry.Metrics
	if at == "" {
		return nil
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return fmt.Errorf("telemetry.metrics: %w; stop the other program, or set another port", err)
	}
	d.numbers = l
	d.log.Info("serving metrics", "address", l.Addr().String())
	return nil
}

// serveTelemetry serves the metrics until ctx ends. Its failure does not stop the daemon.
func (d *Daemon) serveTelemetry(ctx context.Context) {
	if d.numbers == nil {
		return
	}
	if err := telemetry.Serve(ctx, d.numbers, telemetry.Handler(d.metrics, d.ready)); err != nil {
		d.log.Error("the metrics are no longer served; restart callgate serve", "error", err)
	}
}

// measured is a gate that counts its decisions and traces them.
type measured struct {
	api.Gate
	metrics *telemetry.Metrics
	traces  *telemetry.Traces
	prober  *prober
}

// Check implements api.Gate.
func (m *measured) Check(ctx context.Context, caller authority.Caller, r wire.Request, progress gate.Progress) (wire.Result, error) {
	begun := time.Now()
	ctx, traced := m.traces.Begin(ctx, r.Traceparent)
	res, err := m.Gate.Check(ctx, caller, r, progress)
	m.note(ctx, caller, r, res, time.Since(begun), traced)
	return res, err
}

// note traces and counts a check that took so long, waiting included.
func (m *measured) note(ctx context.Context, caller authority.Caller, r wire.Request, res wire.Result, whole time.Duration, traced func(telemetry.Checked)) {
	traced(checked(caller, r, res))
	took := time.Duration(res.Micros) * time.Microsecond
	one := telemetry.Decision{
		Outcome: cmp.Or(string(res.Outcome), "undecided"), Stage: cmp.Or(string(res.Decision.Stage), "none"),
		Took: took, Asked: res.AskID != "", Waited: max(0, whole-took),
	}
	if caller.Kind == authority.Checker { // any other names its agent itself: a flood of labels
		one.Agent = caller.Agent
	}
	m.metrics.Decided(one)
	if client, ok := canary.ClientOf(r.Context.Session); ok && res.Outcome == wire.Denied && caller.Kind == authority.Checker {
		m.prober.saw(api.PeerOf(ctx), string(client.Word), caller.Agent, r.Context.Session)
	}
}

// checked is a check as its trace tells it: nothing of its input.
func checked(caller authority.Caller, r wire.Request, res wire.Result) telemetry.Checked {
	d := res.Decision
	out := telemetry.Checked{
		Tool: r.Tool, CallID: r.CallID, Agent: cmp.Or(caller.Agent, r.Context.Agent), Session: r.Context.Session,
		Outcome: string(res.Outcome), Stage: string(d.Stage), Code: d.Code, ModuleDigest: res.ModuleDigest, Ask: res.AskID,
		AuditSeq: res.AuditSeq, Failed: d.Stage == engine.StageError,
	}
	if d.Rule != nil {
		out.Rule = d.Rule.ID
	}
	return out
}

// openTraces begins to send traces to the accepted collector; nil for none. Its headers, such as a
// token, are in the daemon's environment, after OpenTelemetry's specification.
func (d *Daemon) openTraces(version string) (*telemetry.Traces, error) {
	to := d.Host.Accepted().Telemetry.Traces
	if to == "" {
		return nil, nil
	}
	headers, err := telemetry.Headers(os.Getenv("OTEL_EXPORTER_OTLP_HEADERS"))
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS in the daemon's environment: %w", err)
	}
	d.log.Info("sending traces", "address", to)
	return telemetry.NewTraces(to, headers, version, d.log), nil
}

// verified is the outcome of the last verification of the audit.
type verified struct {
	mu   sync.Mutex
	last telemetry.Audit
}

func (v *verified) note(at time.Time, r store.Report) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last = telemetry.Audit{At: at, Seq: r.From - 1 + r.Rows, Broken: !r.OK()}
}

func (v *verified) state() telemetry.Audit {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.last
}
