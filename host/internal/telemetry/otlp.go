package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"golang.org/x/net/http/httpguts"
)

// sendPatience bounds one request to the collector.
const sendPatience = 10 * time.Second

// sender sends spans as OTLP in JSON over HTTP. RATIONALE.md, "Why does Callgate write OTLP itself?".
type sender struct {
	url     string
	headers map[string]string
	client  *http.Client
	log     *slog.Logger

	made, sent, failed atomic.Uint64
	// silent tells that the last request failed, so that a long failure is one line of the log.
	silent atomic.Bool
}

func newSender(endpoint string, headers map[string]string, log *slog.Logger) *sender {
	return &sender{
		url: strings.TrimSuffix(endpoint, "/") + "/v1/traces", headers: headers, log: log,
		client: &http.Client{
			Timeout:       sendPatience,
			Transport:     &http.Transport{MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Headers reads headers as OTEL_EXPORTER_OTLP_HEADERS has them: name=value, separated by commas, the
// values percent-encoded.
func Headers(text string) (map[string]string, error) {
	out := map[string]string{}
	for i, part := range strings.Split(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, fmt.Errorf("header %d is not NAME=VALUE with a percent-encoded value", i+1) // the text may be a secret
		}
		out[name] = value
	}
	return out, nil
}

// ExportSpans implements sdktrace.SpanExporter. A failure is counted and logged here: the SDK has
// only a global place for it.
func (s *sender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := s.send(ctx, spans)
	if err != nil {
		s.failed.Add(uint64(len(spans)))
		if !s.silent.Swap(true) {
			s.log.Warn("traces do not reach the collector, and are dropped", "error", err)
		}
		return nil
	}
	s.sent.Add(uint64(len(spans)))
	if s.silent.Swap(false) {
		s.log.Info("traces reach the collector again")
	}
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (s *sender) Shutdown(context.Context) error {
	s.client.CloseIdleConnections()
	return nil
}

func (s *sender) send(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	body, err := json.Marshal(request(spans))
	if err != nil {
		return fmt.Errorf("write the spans: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("write the spans: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range s.headers {
		r.Header.Set(name, value)
	}
	a, err := s.client.Do(r)
	if err != nil {
		return fmt.Errorf("send the spans: %w", err)
	}
	defer a.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(a.Body, 64<<10)) // so that the connection can be used again
	if a.StatusCode/100 != 2 {
		return fmt.Errorf("the collector at %s answered %s", s.url, a.Status)
	}
	return nil
}

// The shapes of OTLP 1.x in JSON: opentelemetry-proto, trace.proto and its rules for JSON.
type (
	otlpRequest struct {
		ResourceSpans []otlpResource `json:"resourceSpans"`
	}
	otlpResource struct {
		Resource   otlpAttributes `json:"resource"`
		ScopeSpans []otlpScope    `json:"scopeSpans"`
	}
	otlpAttributes struct {
		Attributes []otlpAttribute `json:"attributes"`
	}
	otlpScope struct {
		Scope struct {
			Name    string `json:"name"`
			Version string `json:"version,omitempty"`
		} `json:"scope"`
		Spans []otlpSpan `json:"spans"`
	}
	otlpSpan struct {
		TraceID    string          `json:"traceId"`
		SpanID     string          `json:"spanId"`
		Parent     string          `json:"parentSpanId,omitempty"`
		Name       string          `json:"name"`
		Kind       int             `json:"kind"`
		Start      string          `json:"startTimeUnixNano"`
		End        string          `json:"endTimeUnixNano"`
		Attributes []otlpAttribute `json:"attributes,omitempty"`
		Status     otlpStatus      `json:"status,omitzero"`
	}
	otlpStatus struct {
		Message string `json:"message,omitempty"`
		Code    int    `json:"code,omitempty"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpValue struct {
		String *string `json:"stringValue,omitempty"`
		Int    *string `json:"intValue,omitempty"`
	}
)

// request has the spans of one provider, and so of one resource and one scope.
func request(spans []sdktrace.ReadOnlySpan) otlpRequest {
	var scope otlpScope
	var resource otlpResource
	for _, s := range spans {
		scope.Scope.Name, scope.Scope.Version = s.InstrumentationScope().Name, s.InstrumentationScope().Version
		resource.Resource.Attributes = values(s.Resource().Attributes())
		scope.Spans = append(scope.Spans, spanOf(s))
	}
	resource.ScopeSpans = []otlpScope{scope}
	return otlpRequest{[]otlpResource{resource}}
}

func spanOf(s sdktrace.ReadOnlySpan) otlpSpan {
	out := otlpSpan{
		TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(),
		Name: s.Name(), Kind: int(s.SpanKind()), // the numbers of both are the same
		Start: strconv.FormatInt(s.StartTime().UnixNano(), 10), End: strconv.FormatInt(s.EndTime().UnixNano(), 10),
		Attributes: values(s.Attributes()),
	}
	if s.Parent().SpanID().IsValid() {
		out.Parent = s.Parent().SpanID().String()
	}
	if s.Status().Code == codes.Error {
		out.Status = otlpStatus{Message: s.Status().Description, Code: 2} // STATUS_CODE_ERROR
	}
	return out
}

func values(all []attribute.KeyValue) []otlpAttribute {
	out := make([]otlpAttribute, len(all))
	for i, a := range all {
		text := a.Value.String()
		out[i].Key = string(a.Key)
		if a.Value.Type() == attribute.INT64 {
			out[i].Value.Int = &text
		} else {
			out[i].Value.String = &text
		}
	}
	return out
}
