// Parsehook is the least a hook can do: it reads its payload and ends. What it
// takes is what any hook in Go takes.
package main

import (
	"encoding/json"
	"os"
)

func main() {
	var payload struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"tool_input"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&payload); err != nil || payload.Tool == "" {
		os.Exit(2)
	}
}
