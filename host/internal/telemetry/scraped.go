package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Sources read numbers kept by the daemon's parts, each time somebody looks. All are required.
type Sources struct {
	Asks    func() Asks
	Store   func() Store
	Audit   func() Audit
	Pool    func() Pool
	Modules func() []Module
	Discord func() Discord
	Traces  func() Spans
	Hooks   func() []Hook
}

// Asks are the asks waiting for a person.
type Asks struct {
	Waiting int
	// Oldest is the age of the one that waits longest; 0 for none.
	Oldest time.Duration
	// Surfaces is how many places show asks, besides the API.
	Surfaces int
}

// Store is the writing side of the store since the start.
type Store struct {
	// Commits are transactions, Changes the changes in them, Failures those that failed.
	Commits, Changes, Failures uint64
	// Took is the time of all commits.
	Took time.Duration
	// Seq is the number of the audit's last row.
	Seq int64
	// Behind is how many changes of other daemons this one does not have in force; negative for
	// unknown.
	Behind int64
	// Busy and Idle are the connections for queries, Waits how often a query waited for one, Waited
	// for how long.
	Busy, Idle int
	Waits      uint64
	Waited     time.Duration
}

// Audit is the daemon's last verification of the audit.
type Audit struct {
	// At is when it ended; zero for not yet.
	At time.Time
	// Seq is the last verified row; Broken says that an altered one was found.
	Seq    int64
	Broken bool
}

// Pool is the sandbox of the modules.
type Pool struct {
	UsedBytes, LimitBytes, CacheBytes int64
	// Run and Remembered are questions to modules that ran one, and that were remembered.
	Run, Remembered int64
}

// Module is the work of the module in one file since the start.
type Module struct {
	File            string
	Calls, Failures uint64
	Took            time.Duration
	Fuel            uint64
}

// Discord is the connection to Discord.
type Discord struct {
	Configured, Connected bool
	Cards                 int
}

// Hook is the last probe of a client's hook.
type Hook struct {
	Client string
	Judged bool
	At     time.Time
}

// scraped reads the sources at each scrape.
type scraped struct{ s Sources }

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("callgate_"+name, help, labels, nil)
}

var (
	asksWaiting  = desc("asks_waiting", "Asks that wait for a person.")
	asksOldest   = desc("asks_oldest_seconds", "Age of the ask that waits longest; 0 for none.")
	surfaces     = desc("ask_surfaces", "Places that show asks to people, besides the API.")
	storeCommits = desc("store_commit_seconds", "Transactions of the store, and their time.")
	storeChanges = desc("store_changes_total", "Changes in the store's transactions.")
	storeErrors  = desc("store_errors_total", "Changes that the store could not write.")
	storePool    = desc("store_connections", "Connections of the store for queries, busy and idle.", "state")
	storeWaits   = desc("store_connection_wait_seconds", "Queries that waited for a connection of the store, and their time.")
	nodeBehind   = desc("node_behind_changes", "Changes of other daemons of the store that this one does not have in force; no value when the store cannot be read.")
	auditSeq     = desc("audit_seq", "Number of the audit's last row.")
	verifiedSeq  = desc("audit_verified_seq", "Last row that the daemon verified.")
	verifiedAt   = desc("audit_verified_timestamp_seconds", "When the daemon last verified the audit; 0 for not yet.")
	auditBroken  = desc("audit_broken", "1 when the last verification found an altered row.")
	poolUsed     = desc("sandbox_memory_bytes", "Memory of all instances of modules.")
	poolLimit    = desc("sandbox_memory_limit_bytes", "Most memory that all instances may have.")
	poolCache    = desc("sandbox_cache_bytes", "Size of the cache of compiled modules.")
	answers      = desc("module_answers_total", "Questions to modules, by whether one ran or the answer was remembered.", "from")
	moduleTime   = desc("module_call_seconds", "Calls of a module, and their time.", "module")
	moduleFails  = desc("module_failures_total", "Calls of a module that failed.", "module")
	moduleFuel   = desc("module_fuel_total", "Fuel used by a module; one instruction takes about one.", "module")
	traceSpans   = desc("trace_spans_total", "Spans of traces: made, sent to the collector, and failed to arrive.", "state")
	hookJudged   = desc("hook_judged", "1 when the last probe of the client's hook was decided by the daemon; no value without a probe.", "client")
	hookProbed   = desc("hook_probe_timestamp_seconds", "When the client's hook was last probed.", "client")
	discordUp    = desc("discord_connected", "1 while Discord is connected; no value when it is not configured.")
	discordCards = desc("discord_cards", "Cards that stand in Discord.")
)

// Describe implements prometheus.Collector.
func (scraped) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		asksWaiting, asksOldest, surfaces, storeCommits, storeChanges, storeErrors, storePool, storeWaits, nodeBehind, auditSeq, verifiedSeq, verifiedAt, auditBroken,
		poolUsed, poolLimit, poolCache, answers, moduleTime, moduleFails, moduleFuel, traceSpans, hookJudged, hookProbed, discordUp, discordCards,
	} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c scraped) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v)
	}
	counter := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	asks, store, audit, pool, chat := c.s.Asks(), c.s.Store(), c.s.Audit(), c.s.Pool(), c.s.Discord()
	gauge(asksWaiting, float64(asks.Waiting))
	gauge(asksOldest, asks.Oldest.Seconds())
	gauge(surfaces, float64(asks.Surfaces))
	out <- prometheus.MustNewConstSummary(storeCommits, store.Commits, store.Took.Seconds(), nil)
	counter(storeChanges, float64(store.Changes))
	counter(storeErrors, float64(store.Failures))
	out <- prometheus.MustNewConstMetric(storePool, prometheus.GaugeValue, float64(store.Busy), "busy")
	out <- prometheus.MustNewConstMetric(storePool, prometheus.GaugeValue, float64(store.Idle), "idle")
	out <- prometheus.MustNewConstSummary(storeWaits, store.Waits, store.Waited.Seconds(), nil)
	if store.Behind >= 0 {
		gauge(nodeBehind, float64(store.Behind))
	}
	gauge(auditSeq, float64(store.Seq))
	gauge(verifiedSeq, float64(audit.Seq))
	gauge(verifiedAt, seconds(audit.At))
	gauge(auditBroken, one(audit.Broken))
	gauge(poolUsed, float64(pool.UsedBytes))
	gauge(poolLimit, float64(pool.LimitBytes))
	gauge(poolCache, float64(pool.CacheBytes))
	counter(answers, float64(pool.Run), "module")
	counter(answers, float64(pool.Remembered), "memory")
	for _, m := range c.s.Modules() {
		out <- prometheus.MustNewConstSummary(moduleTime, m.Calls, m.Took.Seconds(), nil, m.File)
		counter(moduleFails, float64(m.Failures), m.File)
		counter(moduleFuel, float64(m.Fuel), m.File)
	}
	if spans := c.s.Traces(); spans.Enabled {
		counter(traceSpans, float64(spans.Made), "made")
		counter(traceSpans, float64(spans.Sent), "sent")
		counter(traceSpans, float64(spans.Failed), "failed")
	}
	for _, h := range c.s.Hooks() {
		out <- prometheus.MustNewConstMetric(hookJudged, prometheus.GaugeValue, one(h.Judged), h.Client)
		out <- prometheus.MustNewConstMetric(hookProbed, prometheus.GaugeValue, seconds(h.At), h.Client)
	}
	if chat.Configured {
		gauge(discordUp, one(chat.Connected))
		gauge(discordCards, float64(chat.Cards))
	}
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
