package push

// PublicOnly judges an address as the sender's dialer does.
func PublicOnly(address string) error { return publicOnly("tcp", address, nil) }
