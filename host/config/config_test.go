package config_test

import (
	"testing"

	"github.com/callgate/callgate/host/config"
)

var dirs = config.Dirs{
	Home:   "/home/dev",
	Config: "/home/dev/.config/callgate",
	State:  "/home/dev/.local/state/callgate",
	Cache:  "/home/dev/.cache/callgate",
}

func parse(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("callgate.yaml", []byte(text), dirs)
	if err != nil {
		t.Fatalf("Parse:\n%v", err)
	}
	return c
}

func TestExample(t *testing.T) {
	t.Parallel()
	c := parse(t, string(config.ExampleFile()))
	for _, ex := range c.Examples() {
		t.Log(ex.Errorf("%v", ex))
	}
	t.Logf("%+v", c.Agent("builder"))
}
