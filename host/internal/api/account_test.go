package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/client"
)

// The accounts of these tests need not exist: the system knows numbers.
const (
	agentUID    = 61002
	approverUID = 61003
	strangerUID = 61004
)

// childVariable makes this test binary act as a process of another account.
const childVariable = "CALLGATE_API_TEST_CHILD"

func TestMain(m *testing.M) {
	switch what, path, _ := strings.Cut(os.Getenv(childVariable), " "); what {
	case "":
		os.Exit(m.Run())
	case "ask":
		askAll(path)
	case "listen":
		listenFor(path)
	default:
		panic("unknown child " + what)
	}
}

// question is one request of a process of another account, reply its answer.
type question struct{ Method, Path, Secret, Body string }

type reply struct {
	Status int
	Body   string
	Error  string
}

// askAll puts the questions on standard input, one connection each, and writes
// the answers.
func askAll(socket string) {
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		},
	}}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var q question
		if err := in.Decode(&q); err != nil {
			return
		}
		_ = out.Encode(askOne(client, q)) // a parent already gone wants nothing
	}
}

func askOne(client *http.Client, q question) reply {
	req, err := http.NewRequest(q.Method, "http://callgate"+q.Path, strings.NewReader(q.Body))
	if err != nil {
		return reply{Error: err.Error()}
	}
	req.Header.Set("Content-Type", "application/json")
	if q.Secret != "" {
		req.Header.Set("Authorization", "Bearer "+q.Secret)
	}
	resp, err := client.Do(req)
	if err != nil {
		return reply{Error: err.Error()}
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		return reply{Status: resp.StatusCode}
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{Error: err.Error()}
	}
	return reply{Status: resp.StatusCode, Body: string(body)}
}

// listenFor takes the daemon's place at a socket and records its input.
func listenFor(path string) {
	l, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o666)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("listening")
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		heard := make([]byte, 4096)
		n, _ := conn.Read(heard) // nothing, when the client hangs up at once
		_ = conn.Close()
		fmt.Printf("heard %q\n", heard[:n])
	}
}

// child starts this binary as another account.
func child(t *testing.T, uid int, what string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{childVariable + "=" + what}
	cmd.Dir = "/"
	cmd.Stderr = os.Stderr
	asAccount(cmd, uid)
	return cmd
}

// askAs puts questions as another account.
func askAs(t *testing.T, uid int, socket string, questions []question) []reply {
	t.Helper()
	var in, out bytes.Buffer
	for _, q := range questions {
		must(t, json.NewEncoder(&in).Encode(q))
	}
	cmd := child(t, uid, "ask "+socket)
	cmd.Stdin, cmd.Stdout = &in, &out
	must(t, cmd.Run())
	var replies []reply
	for d := json.NewDecoder(&out); ; {
		var r reply
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		replies = append(replies, r)
	}
	if len(replies) != len(questions) {
		t.Fatalf("got %d answers, want %d", len(replies), len(questions))
	}
	return replies
}

// sharedWorld serves agents and approvers at a socket open to all.
func sharedWorld(t *testing.T) (w *world, socket string) {
	t.Helper()
	needRoot(t)
	b := api.Boundary{Agents: []int{agentUID}, Approvers: []int{approverUID}}
	w = newWorld(t, func(c *api.Config) { c.Boundary = b })
	dir := shortDir(t)
	must(t, os.Chmod(dir, 0o755))
	socket = filepath.Join(dir, "run", "s")
	l, err := b.Listen("unix", socket)
	must(t, err)
	go func() {
		if err := w.server.Serve(l); err != nil {
			t.Error("serve:", err)
		}
	}()
	return w, socket
}

// TestT06_agentAccountMayCheckAlone tries, as the agent's account, every
// operation with every token.
func TestT06_agentAccountMayCheckAlone(t *testing.T) {
	t.Parallel()
	w, socket := sharedWorld(t)
	var questions []question
	var kinds []string
	for _, op := range api.Operations() {
		method, path, _ := strings.Cut(op, " ")
		for _, kind := range []string{"", "garbage", "ci", "approver", "integrator", "admin"} {
			q := question{Method: method, Path: strings.NewReplacer("{id}", "x", "{name}", "x").Replace(path), Body: "{}"}
			switch kind {
			case "":
			case "garbage":
				q.Secret = oldSecret("cg_admin_", "A")
			default:
				q.Secret = w.token(kind)
			}
			questions, kinds = append(questions, q), append(kinds, kind)
		}
	}
	for i, r := range askAs(t, agentUID, socket, questions) {
		q, calls := questions[i], false
		for _, path := range forCalls {
			calls = calls || q.Path == path
		}
		want := []int{http.StatusForbidden}
		switch {
		case slices.Contains([]string{"/v1/health", "/v1/openapi.json", "/livez", "/readyz"}, q.Path):
			want = []int{http.StatusOK}
		case kinds[i] == "" || kinds[i] == "garbage":
			want = []int{http.StatusUnauthorized}
		case kinds[i] == "ci" && q.Path == "/v1/offer":
			want = []int{http.StatusOK} // let in: an empty body names its own agent
		case kinds[i] == "ci" && calls:
			want = []int{http.StatusBadRequest} // let in: the body names nothing
		}
		if r.Status != want[0] {
			t.Errorf("%s %s with %q: got %d %s%s, want %d", q.Method, q.Path, kinds[i], r.Status, r.Body, r.Error, want[0])
		}
		if q.Path == "/v1/health" && kinds[i] != "ci" && strings.Contains(r.Body, "version") {
			t.Errorf("health with %q tells the agent's account: %s", kinds[i], r.Body)
		}
	}
	check := question{"POST", "/v1/check", w.token("ci"), `{"tool":"Bash","input":{"command":"ls"}}`}
	if got := askAs(t, agentUID, socket, []question{check}); got[0].Status != http.StatusOK {
		t.Errorf("its own check: got %+v, want 200", got[0])
	}
}

func TestT06_otherAccounts(t *testing.T) {
	t.Parallel()
	w, socket := sharedWorld(t)
	asks := question{"GET", "/v1/asks", w.token("approver"), ""}
	tokens := question{"GET", "/v1/tokens", w.token("admin"), ""}
	for i, got := range askAs(t, approverUID, socket, []question{asks, tokens}) {
		if got.Status != http.StatusOK {
			t.Errorf("an approver's account, question %d: got %+v, want 200", i, got)
		}
	}
	for _, got := range askAs(t, strangerUID, socket, []question{asks, tokens, {"GET", "/v1/health", "", ""}}) {
		if got.Status != 0 || got.Error == "" {
			t.Errorf("another account: got %+v, want the connection cut off", got)
		}
	}
	if !strings.Contains(w.log.String(), fmt.Sprint("uid=", strangerUID)) {
		t.Error("the log does not tell of the other account")
	}
}

// TestT06_wideModesDoNotOpenTheSocket: without a boundary only the daemon's own account and
// root may connect, with any modes.
func TestT06_wideModesDoNotOpenTheSocket(t *testing.T) {
	t.Parallel()
	needRoot(t)
	w := newWorld(t, nil)
	for _, path := range []string{filepath.Dir(w.state), w.state} {
		must(t, os.Chmod(path, 0o755))
	}
	must(t, os.Chmod(w.socket, 0o777))
	for _, got := range askAs(t, agentUID, w.socket, []question{{"GET", "/v1/health", "", ""}, {"GET", "/v1/asks", w.token("admin"), ""}}) {
		if got.Status != 0 {
			t.Errorf("got %+v, want the connection cut off", got)
		}
	}
}

// TestT07_daemonOfAnotherAccount: a listener of another account gets nothing, not even the
// token's name.
func TestT07_daemonOfAnotherAccount(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := shortDir(t)
	must(t, os.Chmod(dir, 0o777))
	path := filepath.Join(dir, "s")
	fake := child(t, agentUID, "listen "+path)
	out, err := fake.StdoutPipe()
	must(t, err)
	must(t, fake.Start())
	defer func() {
		_ = fake.Process.Kill()
		_ = fake.Wait()
	}()
	said := bufio.NewScanner(out)
	if !said.Scan() || said.Text() != "listening" {
		t.Fatalf("got %q, want it listening", said.Text())
	}
	for name, opts := range map[string][]client.DialOption{"by default": nil, "of a third account": {client.DaemonUID(approverUID)}} {
		c, err := client.Dial(path, someToken, opts...)
		must(t, err)
		if _, err := c.Check(t.Context(), bash("ls secret-input"), nil); !errors.Is(err, client.ErrNotOurs) || !strings.Contains(err.Error(), fmt.Sprint(agentUID)) {
			t.Errorf("%s: got %v, want ErrNotOurs and the uid", name, err)
		}
		if !said.Scan() || said.Text() != `heard ""` {
			t.Errorf("%s: it %s, want nothing", name, said.Text())
		}
	}
	// A named account is asked for its proof, and no more.
	c, err := client.Dial(path, someToken, client.DaemonUID(agentUID))
	must(t, err)
	if _, err := c.Check(t.Context(), bash("ls secret-input"), nil); !errors.Is(err, client.ErrNotOurs) {
		t.Errorf("without a proof: got %v, want ErrNotOurs", err)
	}
	if said.Scan(); strings.Contains(said.Text(), "secret") || strings.Contains(said.Text(), someToken) || !strings.Contains(said.Text(), "/v1/health") {
		t.Errorf("it %s, want the question for its proof", said.Text())
	}
}
