package config

// Telemetry says where programs read the daemon's numbers.
type Telemetry struct {
	// Metrics is a loopback address with port, such as 127.0.0.1:9464, for GET /metrics, /livez and
	// /readyz without a token. Left out: none. Holds from the next start on.
	Metrics string `yaml:"metrics"`
}

// telemetry checks the addresses.
func (ck *checker) telemetry(t *Telemetry) {
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
