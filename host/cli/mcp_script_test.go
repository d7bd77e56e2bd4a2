package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// mcpID puts the id of the first MCP server into $MCP.
func mcpID(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Exec("callgate", "mcp", "tools"))
	ts.Setenv("MCP", regexp.MustCompile("m[0-9a-f]{10}").FindString(ts.ReadFile("stdout")))
}

// mcpMessage is what the programs below read of a message.
type mcpMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Version   string          `json:"protocolVersion"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

// mcpServerProgram is an MCP server over stdio with the tools read_file and write_file.
// $MCP_DESCRIPTION_FILE holds the description of read_file.
func mcpServerProgram() {
	described := "reads a file"
	if path := os.Getenv("MCP_DESCRIPTION_FILE"); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		described = strings.TrimSpace(string(text))
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if result, m := mcpAnswer(in.Bytes(), described); m.ID != nil {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		}
	}
}

// mcpAnswer is the result for a message.
func mcpAnswer(message []byte, described string) (result string, m mcpMessage) {
	if err := json.Unmarshal(message, &m); err != nil {
		return "", mcpMessage{}
	}
	switch m.Method {
	case "initialize":
		version := "2025-11-25"
		if m.Params.Version == "2025-06-18" { // Gemini CLI 0.61.0 knows no later one
			version = m.Params.Version
		}
		return `{"protocolVersion":"` + version + `","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"test","version":"1"}}`, m
	case "tools/list":
		return fmt.Sprintf(`{"tools":[{"name":"read_file","description":%q,"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},`+
			`{"name":"write_file","description":"writes a file","inputSchema":{"type":"object"}}]}`, described), m
	case "tools/call":
		text, _ := json.Marshal("ran " + m.Params.Name + " " + string(m.Params.Arguments)) // a string can be written
		return `{"content":[{"type":"text","text":` + string(text) + `}]}`, m
	}
	return "{}", m
}

// mcpClientProgram is an MCP client: it starts the server of its arguments, sends it the lines of
// its input, each after the answer to the one before, and prints all answers.
func mcpClientProgram() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		panic(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	answers, lines := bufio.NewReader(out), bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m mcpMessage
		_ = json.Unmarshal(lines.Bytes(), &m) // a line may be garbage
		fmt.Fprintln(in, lines.Text())
		for m.ID != nil && m.Method != "" {
			answer, err := answers.ReadString('\n')
			fmt.Print(answer)
			if err != nil {
				m.ID = nil
			}
			var got mcpMessage
			if json.Unmarshal([]byte(answer), &got) == nil && string(got.ID) == string(m.ID) {
				break
			}
		}
	}
	_ = in.Close() // the server ends
	_, _ = io.Copy(os.Stdout, answers)
	if err := cmd.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
