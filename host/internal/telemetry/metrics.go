package telemetry

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the daemon's numbers. Its methods are safe for concurrent use; none blocks.
type Metrics struct {
	registry  *prometheus.Registry
	decisions *prometheus.CounterVec
	check     prometheus.Histogram
	wait      *prometheus.HistogramVec
	last      *prometheus.GaugeVec
}

// Decision is one answered check.
type Decision struct {
	// Outcome is the audit's word, Stage the deciding step of the table.
	Outcome, Stage string
	// Took is the time to decide, without waiting for people.
	Took time.Duration
	// Asked says that a person was asked, and Waited how long their answer took.
	Asked  bool
	Waited time.Duration
	// Agent is the holder of the check token; empty for a caller that names its agent itself.
	Agent string
}

// The bounds of the histograms, in seconds: a decision takes a millisecond, a person a minute.
var (
	checkBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}
	waitBuckets  = []float64{1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600}
)

// New returns the metrics of one daemon of this version over its parts.
func New(version string, s Sources) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "callgate_decisions_total", Help: "Answered checks, by the audit's outcome and the deciding stage.",
		}, []string{"outcome", "stage"}),
		check: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "callgate_check_duration_seconds", Help: "Time to decide a call, without waiting for people.", Buckets: checkBuckets,
		}),
		wait: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "callgate_ask_wait_seconds", Help: "Time from an ask to its end, by outcome.", Buckets: waitBuckets,
		}, []string{"outcome"}),
		last: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "callgate_agent_last_check_timestamp_seconds", Help: "When an agent's own token last had a call checked.",
		}, []string{"agent"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "callgate_build_info", Help: "1, with the daemon's version.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.decisions, m.check, m.wait, m.last, build, scraped{s},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Decided counts one decision.
func (m *Metrics) Decided(d Decision) {
	m.decisions.WithLabelValues(d.Outcome, d.Stage).Inc()
	m.check.Observe(d.Took.Seconds())
	if d.Asked {
		m.wait.WithLabelValues(d.Outcome).Observe(d.Waited.Seconds())
	}
	if d.Agent != "" {
		m.last.WithLabelValues(d.Agent).SetToCurrentTime()
	}
}

// Handler serves the numbers.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
