package cli

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/goccy/go-yaml"

	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// yamlMap is a YAML mapping.
type yamlMap = map[string]any

// at returns what stands at a path of keys in a document.
func at(v any, path ...string) any {
	for _, key := range path {
		o, ok := v.(yamlMap)
		if !ok {
			return nil
		}
		v = o[key]
	}
	return v
}

func readYAML(t *testing.T, text []byte) (o yamlMap) {
	t.Helper()
	if err := yaml.UnmarshalWithOptions(text, &o, yaml.Strict()); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return o
}

func teamFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(repo.File("docs/team/" + name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkTeamConfig reads a configuration as a daemon does. It returns its endpoint and store.
func checkTeamConfig(t *testing.T, text []byte) *config.Config {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "callgate.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Open(file, config.Dirs{Config: dir, State: dir, Cache: dir})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return c
}

// TestDeploy_compose checks the compose file: two daemons without privileges over one PostgreSQL, a
// configuration that loads, and no secret but in a file of its own.
func TestDeploy_compose(t *testing.T) {
	t.Parallel()
	text := teamFile(t, "compose.yaml")
	doc := readYAML(t, text)
	for _, name := range []string{"callgate-1", "callgate-2"} {
		d := at(doc, "services", name)
		if at(d, "user") != "65532:65532" || at(d, "read_only") != true || at(d, "healthcheck") == nil || !strings.Contains(string(mustJSON(t, at(d, "cap_drop"))), "ALL") {
			t.Errorf("%s: got %v, want an account without privileges and a read-only root", name, d)
		}
		if test := wordsOf(anyList(at(d, "healthcheck", "test"))); len(test) < 3 || test[0] != "CMD" {
			t.Errorf("%s: got the health check %v, want a command of callgate", name, test)
		} else {
			needsDaemon(t, test[2:])
		}
		if want := "data-" + name[len(name)-1:] + ":/data"; !strings.Contains(string(mustJSON(t, at(d, "volumes"))), want) {
			t.Errorf("%s: no volume %s", name, want)
		}
	}
	for _, service := range at(doc, "services").(yamlMap) {
		if at(service, "ports") != nil {
			t.Error("a service is open to the network of the machine")
		}
		for _, v := range append(anyList(at(service, "volumes")), anyList(at(service, "secrets"))...) {
			from, _, _ := strings.Cut(v.(string), ":")
			if strings.HasPrefix(from, "./") {
				teamFile(t, from)
			} else if at(doc, "volumes", from) == nil && at(doc, "secrets", from) == nil {
				t.Errorf("%s is declared nowhere", from)
			}
		}
	}
	if regexp.MustCompile(`(?im)password:[ \t]*[^/\s]`).Match(text) {
		t.Error("a password stands in the file")
	}
	c := checkTeamConfig(t, teamFile(t, "callgate.yaml"))
	if !strings.HasPrefix(c.Store, "postgres://callgate@postgres/") {
		t.Errorf("store: got %s, want the service postgres", c.Store)
	}
	if docker, err := exec.LookPath("docker"); err != nil {
		t.Log("docker is not installed: its own check of the file is left out")
	} else if out, err := exec.Command("env", "CALLGATE_VERSION=1", docker, "compose", "-f", repo.File("docs/team/compose.yaml"), "config", "--quiet").CombinedOutput(); err != nil {
		t.Logf("docker compose: %v: %s", err, out) // an engine without compose, or another version
	}
}

func anyList(v any) []any {
	list, _ := v.([]any)
	return list
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestDeploy_seed runs the script that gives the daemons their files: both have the same key and
// tokens, in the form that a daemon takes over, and a second run keeps them.
func TestDeploy_seed(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, d := range []string{"shared", "secrets", "data-1", "data-2"} {
		if err := os.Mkdir(path(d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path("secrets/postgres_password"), []byte("pa55\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	own := "" + strings.TrimSpace(output(t, "id", "-u")) + ":" + strings.TrimSpace(output(t, "id", "-g"))
	read := func(name string) string {
		text, err := os.ReadFile(path(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var before string
	for range 2 {
		cmd := exec.Command("sh", repo.File("docs/team/seed.sh"))
		cmd.Env = append(os.Environ(), "SECRETS="+path("secrets"), "CONFIG="+repo.File("docs/team/callgate.yaml"), "SHARED="+path("shared"),
			"DATA="+path("data-1")+" "+path("data-2"), "AGENT="+path("agent"), "OWNER="+own, "AGENT_OWNER="+own)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		now := read("data-1/state/callgate/admin.token")
		if before != "" && before != now {
			t.Error("the second run made other tokens")
		}
		before = now
	}
	for _, data := range []string{"data-1/", "data-2/"} {
		admin, err := tokenfile.ReadPrivate(path(data + "state/callgate/admin.token"))
		if err != nil || !strings.HasPrefix(admin, "cg_admin_") || admin != strings.TrimSpace(before) {
			t.Errorf("%sadmin.token: got %q, %v, want the shared token", data, admin, err)
		}
		check, err := tokenfile.ReadPrivate(path(data + "state/callgate/agents/default.token"))
		if agent, other := tokenfile.Read(path("agent/default.token")); err != nil || other != nil || !strings.HasPrefix(check, "cg_check_") || agent != check {
			t.Errorf("%sdefault.token: got %q and %q, %v, %v, want one token", data, check, agent, err, other)
		}
		if key := read(data + "state/callgate/audit.key"); !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(key) || key != read("shared/audit.key") {
			t.Errorf("%saudit.key: got %d bytes, want the shared key in hex", data, len(key))
		}
		if got, want := read(data+"pgpass"), "postgres:5432:callgate:callgate:pa55\n"; got != want {
			t.Errorf("pgpass: got %q, want %q", got, want)
		}
	}
}

func output(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// render renders the chart's templates. They use no more of Helm than the functions here, so the
// test needs neither Helm nor its library. RATIONALE.md, "How is the Helm chart tested?".
func render(t *testing.T, change func(values yamlMap)) (docs []yamlMap) {
	t.Helper()
	values := readYAML(t, teamFile(t, "chart/values.yaml"))
	if change != nil {
		change(values)
	}
	data := yamlMap{"Values": values, "Release": yamlMap{"Name": "gate"}}
	functions := template.FuncMap{
		"quote":  func(v any) string { return string(mustJSON(t, v)) },
		"toJson": func(v any) string { return string(mustJSON(t, v)) },
	}
	files, err := filepath.Glob(repo.File("docs/team/chart/templates/*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := template.Must(template.New(file).Option("missingkey=error").Funcs(functions).Parse(string(text))).Execute(&out, data); err != nil {
			t.Fatal(err)
		}
		docs = append(docs, split(t, out.String())...)
	}
	return docs
}

// split parses the documents of a text.
func split(t *testing.T, text string) (docs []yamlMap) {
	t.Helper()
	for _, doc := range regexp.MustCompile(`(?m)^---\n`).Split(text, -1) {
		if strings.TrimSpace(doc) != "" {
			docs = append(docs, readYAML(t, []byte(doc)))
		}
	}
	return docs
}

// kinds are the rendered objects by their kind and name.
func kinds(docs []yamlMap) map[string]yamlMap {
	out := map[string]yamlMap{}
	for _, d := range docs {
		out[at(d, "kind").(string)+" "+at(d, "metadata", "name").(string)] = d
	}
	return out
}

// TestDeploy_chart renders the chart: two daemons with probes, a disruption budget and a network
// policy, every container without privileges, a configuration that loads, and no secret in it.
func TestDeploy_chart(t *testing.T) {
	t.Parallel()
	all := kinds(render(t, nil))
	for _, want := range []string{"ConfigMap gate", "Service gate", "StatefulSet gate", "PodDisruptionBudget gate", "NetworkPolicy gate", "Service postgres", "StatefulSet gate-postgres", "NetworkPolicy gate-postgres"} {
		if all[want] == nil {
			t.Errorf("there is no %s", want)
		}
	}
	for name, d := range all {
		if strings.HasPrefix(name, "Secret ") {
			t.Errorf("%s: the chart makes a secret", name)
		}
		pod := at(d, "spec", "template", "spec")
		if pod == nil {
			continue
		}
		if at(pod, "securityContext", "runAsNonRoot") != true || at(pod, "automountServiceAccountToken") != false {
			t.Errorf("%s: the pod has too many rights: %v", name, at(pod, "securityContext"))
		}
		if !sameLabels(at(d, "spec", "selector", "matchLabels"), at(d, "spec", "template", "metadata", "labels")) {
			t.Errorf("%s: it selects other pods than it makes", name)
		}
		for _, c := range append(anyList(at(pod, "containers")), anyList(at(pod, "initContainers"))...) {
			checkContainer(t, name, pod, at(d, "spec", "volumeClaimTemplates"), c)
		}
	}
	daemons := all["StatefulSet gate"]
	if got := at(daemons, "spec", "replicas"); string(mustJSON(t, got)) != "2" {
		t.Errorf("replicas: got %v, want 2", got)
	}
	daemon := anyList(at(daemons, "spec", "template", "spec", "containers"))[0]
	for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
		command := anyList(at(daemon, probe, "exec", "command"))
		if len(command) < 2 || lineFault(newRoot(), nil, "callgate "+strings.Join(wordsOf(command[1:]), " ")) != "" {
			t.Errorf("%s: got %v, want a command of callgate", probe, command)
			continue
		}
		needsDaemon(t, wordsOf(command[1:]))
	}
	c := checkTeamConfig(t, []byte(at(all["ConfigMap gate"], "data", "callgate.yaml").(string)))
	if local := checkTeamConfig(t, teamFile(t, "callgate.yaml")); c.Store != local.Store || c.Listen != local.Listen {
		t.Errorf("configuration: got %s at %s, want that of compose.yaml", c.Store, c.Listen)
	}
}

// needsDaemon checks that a command fails where no daemon runs, as a probe has to.
func needsDaemon(t *testing.T, words []string) {
	t.Helper()
	root := newRoot()
	root.SetOut(io.Discard)
	root.SetArgs(append(words, "--token-file", filepath.Join(t.TempDir(), "none")))
	if err := root.Execute(); err == nil || !strings.Contains(err.Error(), "the daemon is not running") {
		t.Errorf("callgate %s: got %v where no daemon runs", strings.Join(words, " "), err)
	}
}

func wordsOf(list []any) (out []string) {
	for _, v := range list {
		out = append(out, v.(string))
	}
	return out
}

func sameLabels(a, b any) bool {
	x, _ := a.(yamlMap)
	y, _ := b.(yamlMap)
	if len(x) == 0 || len(x) != len(y) {
		return false
	}
	for k := range x {
		if x[k] != y[k] {
			return false
		}
	}
	return true
}

// checkContainer checks a container's rights, and that each of its mounts has a volume.
func checkContainer(t *testing.T, name string, pod, claims, c any) {
	t.Helper()
	context := at(c, "securityContext")
	if at(context, "allowPrivilegeEscalation") != false || at(context, "readOnlyRootFilesystem") != true || len(anyList(at(context, "capabilities", "drop"))) == 0 {
		t.Errorf("%s: container %v has too many rights: %v", name, at(c, "name"), context)
	}
	var volumes []any
	for _, v := range anyList(at(pod, "volumes")) {
		volumes = append(volumes, at(v, "name"))
	}
	for _, v := range anyList(claims) {
		volumes = append(volumes, at(v, "metadata", "name"))
	}
	for _, m := range anyList(at(c, "volumeMounts")) {
		if !slices.Contains(volumes, at(m, "name")) {
			t.Errorf("%s: container %v mounts %v, which is no volume", name, at(c, "name"), at(m, "name"))
		}
	}
}

// With another database the chart runs none; an agent's container stands beside the daemon.
func TestDeploy_chartWithChanges(t *testing.T) {
	t.Parallel()
	all := kinds(render(t, func(values yamlMap) {
		values["postgres"].(yamlMap)["enabled"] = false
		values["store"] = "postgres://callgate@db.example.org/callgate?passfile=/data/pgpass"
		values["agent"].(yamlMap)["containers"] = []any{yamlMap{"name": "coder", "image": "coder:1"}}
		values["egress"] = []any{yamlMap{"ports": []any{yamlMap{"port": 443}}}}
	}))
	if all["StatefulSet gate-postgres"] != nil || len(anyList(at(all["StatefulSet gate"], "spec", "template", "spec", "containers"))) != 2 || len(anyList(at(all["NetworkPolicy gate"], "spec", "egress"))) != 2 {
		t.Errorf("got %s", mustJSON(t, all))
	}
	checkTeamConfig(t, []byte(at(all["ConfigMap gate"], "data", "callgate.yaml").(string)))
	pod := at(all["StatefulSet gate"], "spec", "template", "spec")
	for name, want := range map[string]string{"callgate": "65532", "seed": "65532", "seed-agent": "1000", "coder": "1000"} {
		if got := accountOf(t, pod, name); got != want {
			t.Errorf("container %s runs as %s, want %s", name, got, want)
		}
	}
}

// accountOf is the account of a container: its own, or that of its pod.
func accountOf(t *testing.T, pod any, name string) string {
	t.Helper()
	for _, c := range append(anyList(at(pod, "containers")), anyList(at(pod, "initContainers"))...) {
		if at(c, "name") == name {
			return string(mustJSON(t, cmp.Or(at(c, "securityContext", "runAsUser"), at(pod, "securityContext", "runAsUser"))))
		}
	}
	return "none: there is no such container"
}

// TestDeploy_helm has Helm itself render the chart where it is installed: it comes to the same.
func TestDeploy_helm(t *testing.T) {
	t.Parallel()
	helm, err := exec.LookPath("helm")
	if err != nil {
		t.Skip("helm is not installed")
	}
	out, err := exec.Command(helm, "template", "gate", repo.File("docs/team/chart"), "--kube-version", "1.30.0").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got, want := mustJSON(t, kinds(split(t, string(out)))), mustJSON(t, kinds(render(t, nil))); string(got) != string(want) {
		t.Errorf("helm renders\n%s\nthe tests render\n%s", got, want)
	}
}
