package cli

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// mcpWebProgram is an MCP server over HTTP and its client: it starts the proxy of its arguments before
// the server, posts the lines of its input one after another, and prints each answer. Then it posts
// the last line as often as its first argument says, several at a time, and prints how many ran.
func mcpWebProgram() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // half a message is answered as none
		result, m := mcpAnswer(body, "reads a file")
		if m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", m.ID, result)
	}))
	times, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(os.Args[2], append(os.Args[3:], "--upstream", server.URL+"/mcp", "--listen", "127.0.0.1:0")...) //nolint:gosec // the script's own
	words, err := cmd.StderrPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	said := bufio.NewReader(words)
	first, err := said.ReadString('\n')
	url := regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/mcp`).FindString(first)
	if url == "" {
		rest, _ := io.ReadAll(said) // it is printed as far as it came
		fmt.Fprint(os.Stderr, first, string(rest), err)
		os.Exit(1)
	}
	last := ""
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); last = lines.Text() {
		fmt.Println(mcpPost(url, lines.Text()))
	}
	var ran atomic.Int64
	var all sync.WaitGroup
	places := make(chan bool, 8)
	for i := range times {
		places <- true
		all.Go(func() {
			if strings.Contains(mcpPost(url, strings.Replace(last, `"id":`, fmt.Sprintf(`"id":%d`, i+1), 1)), "ran read_file") {
				ran.Add(1)
			}
			<-places
		})
	}
	all.Wait()
	if times > 0 {
		fmt.Println("ran", ran.Load())
	}
	_ = cmd.Process.Signal(os.Interrupt) // Wait says whether it ended well
	rest, _ := io.ReadAll(said)          // its end ends it
	fmt.Fprint(os.Stderr, first, string(rest))
	if err := cmd.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server.Close()
}

// mcpPost is the status and text of the answer to a message.
func mcpPost(url, message string) string {
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(message)) //nolint:noctx // the script bounds it
	if err != nil {
		panic(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = res.Body.Close() }() // it was only read
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(res.StatusCode, " ", strings.TrimSpace(string(text)))
}
