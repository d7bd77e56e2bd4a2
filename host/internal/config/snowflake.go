package config

import (
	"fmt"
	"strconv"
)

// Snowflake is an id of Discord, of a user, role, channel or server: 15 to 20 digits; empty for a
// missing key.
type Snowflake string

// The lengths of ids. Source: Discord counts milliseconds since 2015 in the upper 42 of 64 bits, so
// ids of the first weeks have 15 digits and the largest 20.
const leastDigits, mostDigits = 15, 20

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Snowflake) UnmarshalText(text []byte) error {
	if !IsSnowflake(string(text)) {
		return fmt.Errorf("%.40q is not a Discord ID; want %d to %d digits. Switch on developer mode in Discord (settings, advanced) and choose Copy ID", text, leastDigits, mostDigits)
	}
	*s = Snowflake(text)
	return nil
}

// UnmarshalInteger takes an id written without quotes.
func (s *Snowflake) UnmarshalInteger(id int64) error {
	return s.UnmarshalText([]byte(strconv.FormatInt(id, 10)))
}

// MarshalText implements encoding.TextMarshaler.
func (s Snowflake) MarshalText() ([]byte, error) { return []byte(s), nil }

// IsSnowflake reports whether a text is an id of Discord, in Discord's own spelling.
func IsSnowflake(text string) bool {
	if len(text) < leastDigits || len(text) > mostDigits || text[0] == '0' {
		return false
	}
	_, err := strconv.ParseUint(text, 10, 64)
	return err == nil
}
