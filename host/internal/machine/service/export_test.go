package service

// Unit is the text of the service's unit.
func Unit(o Options) (string, error) {
	o, err := o.complete()
	if err != nil {
		return "", err
	}
	return o.unit(o.layout()), nil
}
