package push

// PublicOnly judges an address as the sender's dialer does.
func PublicOnly(address string) error { return publicOnly("tcp", address, nil) }

// Check is the service of a subscription that can be used.
func Check(s Subscription) (string, error) { return check(s) }
