package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/callgate/callgate/host/internal/telemetry/stage"
)

// The names of attributes after OpenTelemetry's conventions for agents, which are in development, and
// ours. No attribute holds an input, a path or a command: those are in the audit alone.
const (
	attrOperation = "gen_ai.operation.name"
	attrTool      = "gen_ai.tool.name"
	attrCall      = "gen_ai.tool.call.id"
	attrAgent     = "gen_ai.agent.name"
	attrSession   = "gen_ai.conversation.id"
	attrOutcome   = "callgate.decision.outcome"
	attrStage     = "callgate.decision.stage"
	attrCode      = "callgate.decision.code"
	attrRule      = "callgate.rule.id"
	attrModule    = "callgate.module.digest"
	attrAsk       = "callgate.ask.id"
	attrAudit     = "callgate.audit.seq"
	attrMissed    = "callgate.steps.missed"
)

// maxAttribute bounds a caller's words in an attribute, in bytes.
const maxAttribute = 200

// Traces makes a trace of each check and sends it to a collector of OTLP. A collector that is away
// slows no check: what does not fit into the queue is dropped and counted. Its methods are safe for
// concurrent use, and a nil *Traces makes none.
type Traces struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	sender   *sender
}

// queued bounds the spans that wait for the collector.
const queued = 4096

// NewTraces returns traces sent to the collector at endpoint, the base URL of OTLP over HTTP, with
// these headers besides. The first failure and the recovery go to log.
func NewTraces(endpoint string, headers map[string]string, version string, log *slog.Logger) *Traces {
	s := newSender(endpoint, headers, log)
	p := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(s, sdktrace.WithMaxQueueSize(queued), sdktrace.WithBatchTimeout(time.Second), sdktrace.WithExportTimeout(sendPatience)),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "callgate"), attribute.String("service.version", version))),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.AlwaysSample())),
	)
	return &Traces{provider: p, tracer: p.Tracer("callgate", trace.WithInstrumentationVersion(version)), sender: s}
}

// Checked is a check as its trace tells it.
type Checked struct {
	Tool, CallID, Agent, Session                  string
	Outcome, Stage, Code, Rule, ModuleDigest, Ask string
	AuditSeq                                      int64
	// Failed marks a denial because something failed.
	Failed bool
}

// Begin begins the trace of a check: a new one, or a part of the agent's trace that a valid value of
// W3C's traceparent header names. The check runs with the returned context; done ends the trace.
func (t *Traces) Begin(ctx context.Context, traceparent string) (_ context.Context, done func(Checked)) {
	if t == nil {
		return ctx, func(Checked) {}
	}
	begun := time.Now()
	of := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent})
	_, root := t.tracer.Start(of, "callgate.check", trace.WithTimestamp(begun), trace.WithSpanKind(trace.SpanKindServer))
	if !root.IsRecording() { // the agent's trace is not sampled
		return ctx, func(Checked) {}
	}
	t.sender.made.Add(1)
	ctx, rec := stage.Record(ctx)
	return ctx, func(c Checked) {
		t.steps(trace.ContextWithSpan(context.Background(), root), rec, root)
		root.SetAttributes(attributes(c)...)
		if c.Failed {
			root.SetStatus(codes.Error, c.Code)
		}
		root.End()
	}
}

// steps makes a span of each step of a check.
func (t *Traces) steps(root context.Context, rec *stage.Recording, span trace.Span) {
	all, missed := rec.Steps()
	if missed > 0 {
		span.SetAttributes(attribute.Int(attrMissed, missed))
	}
	at := make([]context.Context, len(all))
	for i, s := range all {
		around := root
		if s.Parent >= 0 {
			around = at[s.Parent]
		}
		var step trace.Span
		at[i], step = t.tracer.Start(around, "callgate."+s.Name, trace.WithTimestamp(s.Begun))
		t.sender.made.Add(1)
		step.End(trace.WithTimestamp(s.Ended))
	}
}

func attributes(c Checked) []attribute.KeyValue {
	out := []attribute.KeyValue{attribute.String(attrOperation, "execute_tool")}
	for _, a := range []struct{ key, value string }{
		{attrTool, c.Tool}, {attrCall, c.CallID}, {attrAgent, c.Agent}, {attrSession, c.Session},
		{attrOutcome, c.Outcome}, {attrStage, c.Stage}, {attrCode, c.Code}, {attrRule, c.Rule},
		{attrModule, c.ModuleDigest}, {attrAsk, c.Ask},
	} {
		if a.value != "" {
			out = append(out, attribute.String(a.key, strings.ToValidUTF8(a.value[:min(len(a.value), maxAttribute)], "")))
		}
	}
	if c.AuditSeq > 0 {
		out = append(out, attribute.Int64(attrAudit, c.AuditSeq))
	}
	return out
}

// Spans are the spans since the start. Those neither sent nor failed wait, or did not fit into the
// queue.
type Spans struct {
	// Enabled says that traces are made at all.
	Enabled bool
	// Made is their number, Sent how many the collector took, and Failed how many it refused or
	// missed.
	Made, Sent, Failed uint64
}

// Spans counts the spans so far.
func (t *Traces) Spans() Spans {
	if t == nil {
		return Spans{}
	}
	return Spans{true, t.sender.made.Load(), t.sender.sent.Load(), t.sender.failed.Load()}
}

// Close sends what waits, until ctx ends.
func (t *Traces) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}
