package program

import (
	"slices"
	"strings"
)

// dateActs refuses an operand that would set the clock.
func dateActs(u *Use) string {
	for _, o := range u.Operands {
		if !strings.HasPrefix(o.Text, "+") && !u.Has("-j") {
			return "date with " + o.Text + " sets the clock"
		}
	}
	return ""
}

// getentAsks refuses the databases that are asked over the network.
func getentAsks(u *Use) string {
	if len(u.Operands) > 0 && slices.Contains([]string{"passwd", "group", "services", "protocols", "rpc", "shells", "aliases", "ethers", "initgroups"}, u.Operands[0].Text) || len(u.Operands) == 0 {
		return ""
	}
	return "getent asks the network, or shows what is secret"
}

// tellable are the variables whose values are no secrets.
var tellable = []string{
	"HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "TERM", "HOSTNAME", "TMPDIR", "EDITOR", "PAGER", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID",
	"COLUMNS", "LINES", "BASH_VERSION", "ZSH_VERSION", "SHLVL", "OSTYPE", "GOPATH", "GOROOT", "JAVA_HOME", "VIRTUAL_ENV", "NODE_ENV", "CI", "DISPLAY", "XDG_RUNTIME_DIR",
	"LC_ALL", "LC_CTYPE", "TZ", "VISUAL", "CONDA_PREFIX", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "PYTHONPATH", "MANPATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
}

// Tellable tells whether what a variable holds is no secret, so that it may be
// printed. Lower-case names are those of scripts' own variables.
func Tellable(name string) bool {
	return slices.Contains(tellable, name) || name == strings.ToLower(name)
}

func printenvShows(u *Use) string {
	if len(u.Operands) == 0 && !u.Has("--help", "--version") {
		return "printenv prints every variable, secrets as well"
	}
	for _, o := range u.Operands {
		if !slices.Contains(tellable, o.Text) {
			return "printenv prints " + o.Text + ", which may be a secret"
		}
	}
	return ""
}

// psActs refuses what shows the environment of processes: the format "environ",
// and "e" among the letters of BSD's form, which may be any word without a dash
// that is no value.
func psActs(u *Use) string {
	const why = "ps may show the environment of processes"
	list := u.Words[1:]
	for i := 0; i < len(list); i++ {
		t := list[i].Text
		if strings.Contains(t, "env") {
			return why
		}
		if strings.HasPrefix(t, "-") || strings.Trim(t, "aAcdfghjlmnNorstTuUvwxXOkZL0123456789,") == "" {
			if psValue(t, i == 0) && i+1 < len(list) {
				i++
				if strings.Contains(list[i].Text, "env") {
					return why
				}
			}
			continue
		}
		return why
	}
	return ""
}

// psValue tells whether every ps takes the next word for the option's value:
// -o FORMAT, -eo FORMAT, axo FORMAT.
func psValue(t string, first bool) bool {
	if long, ok := strings.CutPrefix(t, "--"); ok {
		return slices.Contains([]string{"format", "pid", "ppid", "user", "group", "sort", "tty"}, long)
	}
	letters, dashed := strings.CutPrefix(t, "-")
	at := strings.IndexAny(letters, "oOpuUtC")
	if !dashed {
		at = strings.IndexAny(letters, "oOp")
	}
	return (dashed || first) && at >= 0 && at == len(letters)-1
}

func fuserAsks(u *Use) string {
	if u.Has("-k") {
		return "fuser -k ends processes without letting them clean up"
	}
	return ""
}

// topAsks asks about a top that fills the terminal: it can end processes.
func topAsks(u *Use) string {
	if u.asksVersion() || u.Has("-b", "-l", "--help", "--version") || u.Has("-O") && len(u.Words) == 2 {
		return ""
	}
	return "top takes its commands from the terminal"
}

// signalsListed tells whether kill only lists signals: "-KILL" is no "-L".
func signalsListed(u *Use) bool {
	if len(u.Args()) == 0 {
		return false
	}
	name, _, _ := strings.Cut(u.Args()[0].Text, "=")
	return slices.Contains([]string{"-l", "-L", "--list", "--table"}, name)
}

func killActs(u *Use) string {
	if !signalsListed(u) {
		return u.Program + " sends a signal"
	}
	return ""
}

// hard are the spellings of the signal that no process can catch.
func hard(signal string) bool {
	signal = strings.TrimPrefix(strings.ToUpper(signal), "SIG")
	return signal == "9" || signal == "KILL"
}

// signalAsks asks about signals that let nothing clean up, and about every
// process at once.
func signalAsks(u *Use) string {
	args := u.Args()
	if signalsListed(u) {
		return ""
	}
	for i, a := range args {
		t := a.Text
		name, value, given := strings.Cut(t, "=")
		behind := ""
		if i+1 < len(args) {
			behind = args[i+1].Text
		}
		switch {
		case strings.HasPrefix(t, "-") && hard(t[1:]),
			(t == "-s" || t == "-n") && hard(behind),
			(strings.HasPrefix(t, "-s") || strings.HasPrefix(t, "-n")) && hard(t[min(2, len(t)):]),
			strings.HasPrefix(name, "--s") && (given && hard(value) || !given && hard(behind)):
			return u.Program + " " + t + " ends processes without letting them clean up"
		case u.Program == "kill" && (t == "-1" || t == "1") && i > 0:
			return "kill " + t + " ends every process"
		}
	}
	return ""
}

func stopsAsks(u *Use) string {
	if u.asksVersion() || u.Has("-c", "--show") {
		return ""
	}
	return u.Program + " stops or restarts the machine"
}

func journalAsks(u *Use) string {
	if u.Has("--vacuum-size", "--vacuum-files", "--vacuum-time", "--rotate") {
		return "journalctl changes the machine's logs"
	}
	return ""
}

// controlActs returns a judge that wants one of the verbs, or none at all.
func controlActs(verbs ...string) func(*Use) string {
	return func(u *Use) string {
		if len(u.Operands) == 0 || slices.Contains(verbs, u.Operands[0].Text) {
			return ""
		}
		return u.Program + " " + u.Operands[0].Text + " is not known to only read"
	}
}

// rulesListed refuses an iptables that is not told to list.
func rulesListed(u *Use) string {
	if u.Has("-L", "-S") {
		return ""
	}
	return u.Program + " without -L changes what the network lets through"
}

func assignsActs(u *Use) string {
	for _, o := range u.Operands {
		if strings.Contains(o.Text, "=") {
			return u.Program + " " + o.Text + " changes a setting"
		}
	}
	if len(u.Words) == 1 {
		return "sysctl without a name is not known to only read"
	}
	return ""
}

func crontabAsks(u *Use) string {
	if u.Has("-l") && len(u.Operands) == 0 && !u.Has("-r", "-e") {
		return ""
	}
	return "crontab changes what runs later"
}

// diskLists tells whether a program for disks only lists them.
func diskLists(u *Use) bool {
	if u.asksVersion() {
		return true
	}
	for _, o := range u.Options {
		if !o.Known {
			return false
		}
	}
	verb := ""
	if len(u.Operands) > 0 {
		verb = u.Operands[0].Text
	}
	switch u.Program {
	case "fdisk", "sfdisk", "gdisk", "sgdisk", "parted":
		return u.Has("-l") && (len(u.Operands) == 0 || u.Program != "parted" && len(u.Operands) == 1)
	case "diskutil", "nvme", "zpool", "zfs":
		return verb == "list" || verb == "info" && u.Program == "diskutil" || verb == "status" && u.Program == "zpool"
	case "hdiutil":
		return verb == "info" && len(u.Operands) == 1
	}
	return false
}

func diskAsks(u *Use) string {
	if diskLists(u) {
		return ""
	}
	return u.Program + " writes to disks"
}

func diskActs(u *Use) string { return diskAsks(u) }

// ipObjects are what ip shows without secrets; xfrm and macsec hold keys.
var ipObjects = []string{"address", "addr", "a", "ad", "link", "li", "l", "route", "ro", "r", "neighbour", "neighbor", "neigh", "n", "rule", "ru", "maddress", "maddr", "netns", "nexthop", "mroute", "ntable", "tcp_metrics", "help"}

// ipActs wants an object to show. Verbs may be cut short to what could be
// another's beginning ("ip link s" sets), so that only plain ones count.
func ipActs(u *Use) string {
	if len(u.Operands) == 0 {
		return ""
	}
	if object := u.Operands[0].Text; !slices.Contains(ipObjects, object) {
		return "ip " + object + " is not known to only read"
	}
	if len(u.Operands) > 1 && !slices.Contains([]string{"show", "list", "ls", "lst", "sh", "get", "help"}, u.Operands[1].Text) {
		return "ip " + u.Operands[0].Text + " " + u.Operands[1].Text + " is not known to only read"
	}
	return ""
}

// manActs refuses pages that are files, which are formatted as they say.
func manActs(u *Use) string {
	for _, o := range u.Operands {
		if strings.Contains(o.Text, "/") {
			return "man formats the file " + o.Text
		}
	}
	return ""
}

// systemctlAsks asks about verbs that stop the machine.
func systemctlAsks(u *Use) string {
	verb := strings.Join(u.Sub[:min(1, len(u.Sub))], "")
	if slices.Contains([]string{"poweroff", "reboot", "halt", "kexec", "soft-reboot", "exit", "rescue", "emergency", "switch-root", "suspend", "hibernate", "hybrid-sleep", "isolate", "set-default"}, verb) {
		return "systemctl " + verb + " stops or restarts the machine"
	}
	if slices.Contains([]string{"enable", "reenable", "link", "edit", "mask", "preset", "preset-all", "add-wants", "add-requires", "set-environment", "import-environment"}, verb) {
		return "systemctl " + verb + " changes what runs by itself"
	}
	return ""
}

// wallAsks asks about what changes which connections the machine lets through.
func wallAsks(u *Use) string {
	args := u.Args()
	if u.asksVersion() {
		return ""
	}
	verb := ""
	if len(u.Operands) > 0 {
		verb = u.Operands[0].Text
	}
	reads := false
	switch u.Program {
	case "ufw":
		reads = verb == "status" || verb == "version" || verb == "show" || verb == "app" && len(u.Operands) > 1 && slices.Contains([]string{"list", "info"}, u.Operands[1].Text)
	case "nft":
		reads = verb == "list" || verb == "describe"
	case "firewall-cmd":
		reads = len(args) > 0 && !slices.ContainsFunc(args, func(w Word) bool {
			name, _, _ := strings.Cut(w.Text, "=")
			return name != "--state" && name != "--zone" && !strings.HasPrefix(name, "--list-") && !strings.HasPrefix(name, "--get-") && !strings.HasPrefix(name, "--query-") && !strings.HasPrefix(name, "--info-")
		})
	case "pfctl":
		reads = u.Has("-s") && !u.Has("-f", "-F", "-e", "-d")
	case "iptables-restore", "ip6tables-restore":
	default:
		reads, _ = u.ReadsOnly()
		reads = reads || len(args) == 0
	}
	if reads {
		return ""
	}
	return u.Program + " changes which connections the machine lets through"
}

// modulesAsk asks about parts of the kernel that come or go.
func modulesAsk(u *Use) string {
	if u.asksVersion() || len(u.Args()) == 0 || u.Program == "modprobe" && u.Has("-n", "-c", "-D", "-R") {
		return ""
	}
	if u.Program == "kmod" && len(u.Operands) > 0 && slices.Contains([]string{"list", "static-nodes", "help"}, u.Operands[0].Text) {
		return ""
	}
	return u.Program + " changes what the kernel is made of"
}

// sysctlAsks asks about settings of the kernel that change.
func sysctlAsks(u *Use) string {
	set := u.Has("-w", "-p", "--load", "-f", "--system") && !u.Has("--dry-run")
	for _, o := range u.Operands {
		set = set || strings.Contains(o.Text, "=")
	}
	if set {
		return "sysctl changes a setting of the kernel"
	}
	return ""
}

// attachAsks asks about looking into a process that somebody else began.
func attachAsks(u *Use) string {
	if u.Has("-p") {
		return u.Program + " -p looks into a process that runs already"
	}
	return ""
}

// laterAsks asks about what runs later.
func laterAsks(u *Use) string {
	if u.asksVersion() || u.Has("-l", "-c", "-V", "-r", "-d") {
		return ""
	}
	return u.Program + " changes what runs later"
}

// securityAsks asks about the secrets of macOS' key chain.
func securityAsks(u *Use) string {
	if len(u.Operands) == 0 {
		return ""
	}
	verb := u.Operands[0].Text
	shows := strings.HasPrefix(verb, "find-") && strings.HasSuffix(verb, "-password") && !slices.ContainsFunc(u.Operands, func(w Word) bool { return strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, "wg") })
	if shows || slices.Contains([]string{"help", "list-keychains", "default-keychain", "login-keychain", "find-identity", "find-certificate", "error", "show-keychain-info", "verify-cert", "cms", "leaks"}, verb) {
		return ""
	}
	return "security " + verb + " reaches the secrets of the key chain"
}
