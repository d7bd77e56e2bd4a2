package config

// Gateway is the door for gateways in front of MCP servers.
type Gateway struct {
	// Listen is a loopback address with port, such as 127.0.0.1:9465, where a gateway asks in the
	// HTTP form of Envoy's ext_authz, with an agent's check token. Left out: none. Holds from the
	// next start on.
	Listen string `yaml:"listen"`
}

// gateway checks the address.
func (ck *checker) gateway(g *Gateway) {
	if g.Listen == "" {
		return
	}
	address, err := loopback(g.Listen)
	if err != nil {
		ck.add("gateway.listen", "%q: want a loopback address with port, such as 127.0.0.1:9465: a gateway runs on this machine", g.Listen)
		return
	}
	g.Listen = address
}
