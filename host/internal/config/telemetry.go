package config

// Telemetry says where programs read the daemon's numbers, and where its traces go.
type Telemetry struct {
	// Metrics is a loopback address with port, such as 127.0.0.1:9464, for GET /metrics, /livez and
	// /readyz without a token. Left out: none. Holds from the next start on.
	Metrics string `yaml:"metrics"`
	// Traces is the base URL of a collector of OTLP over HTTP, such as http://127.0.0.1:4318: each
	// check becomes a trace there. Plain http only on this machine. Left out: none. Holds from the
	// next start on.
	Traces string `yaml:"traces"`
}

// telemetry checks the addresses.
func (ck *checker) telemetry(t *Telemetry) {
	if t.Traces != "" {
		if err := CheckEndpoint(t.Traces); err != nil {
			ck.add("telemetry.traces", "%v", err)
		}
	}
	if t.Metrics == "" {
		return
	}
	address, err := loopback(t.Metrics)
	if err != nil {
		ck.add("telemetry.metrics", "%q: want a loopback address with port, such as 127.0.0.1:9464: only programs of this machine may read the metrics", t.Metrics)
		return
	}
	t.Metrics = address
}
