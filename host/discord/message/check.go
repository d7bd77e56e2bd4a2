package message

import "fmt"

// Check reports what Discord would refuse.
func (m Message) Check() error {
	if n := Units(m.Content); n > MaxContent {
		return fmt.Errorf("content has %d UTF-16 units: at most %d", n, MaxContent)
	}
	return nil
}

// Check reports what Discord would refuse.
func (m Modal) Check() error {
	if n := Units(m.Title); n > MaxModalTitle {
		return fmt.Errorf("title has %d UTF-16 units: at most %d", n, MaxModalTitle)
	}
	return nil
}
