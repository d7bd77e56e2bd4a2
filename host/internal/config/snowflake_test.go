package config_test

import (
	"testing"

	"github.com/callgate/callgate/host/internal/config"
)

func TestIsSnowflake(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"300000000000000001":     true,
		"100000000000000":        true,
		"18446744073709551615":   true,
		"18446744073709551616":   false, // more than 64 bits
		"99999999999999":         false,
		"3000000000000000012345": false,
		"030000000000000001":     false, // the same id in another spelling
		"30000000000000000x":     false,
		"":                       false,
		"-30000000000000001":     false,
		"+30000000000000001":     false,
		"３00000000000000001":     false,
	} {
		if got := config.IsSnowflake(text); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}
