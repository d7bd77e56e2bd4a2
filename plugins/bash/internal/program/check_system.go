package program

import (
	"slices"
	"strings"
)

// dateActs refuses an operand to set the clock.
func dateActs(u *Use) string {
	for _, o := range u.Operands {
		if !strings.HasPrefix(o.Text, "+") && !u.Has("-j") {
			return "date with " + o.Text + " sets the clock"
		}
	}
	return ""
}

// getentAsks refuses the databases on the network.
func getentAsks(u *Use) string {
	if len(u.Operands) > 0 && slices.Contains([]string{"passwd", "group", "services", "protocols", "rpc", "shells", "aliases", "ethers", "initgroups"}, u.Operands[0].Text) || len(u.Operands) == 0 {
		return ""
	}
	return "getent asks the network, or shows what is secret"
}

// tellable are variables whose values are no secrets.
var tellable = []string{
	"HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "TERM", "HOSTNAME", "TMPDIR", "EDITOR", "PAGER", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID",
	"COLUMNS", "LINES", "BASH_VERSION", "ZSH_VERSION", "SHLVL", "OSTYPE", "GOPATH", "GOROOT", "JAVA_HOME", "VIRTUAL_ENV", "NODE_ENV", "CI", "DISPLAY", "XDG_RUNTIME_DIR",
	"LC_ALL", "LC_CTYPE", "TZ", "VISUAL", "CONDA_PREFIX", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "PYTHONPATH", "MANPATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
}

// Tellable reports whether the value of a variable is no secret and may be printed. Lower-case
// names are scripts' own variables.
func Tellable(name string) bool {
	return slices.Contains(tellable, name) || name == strings.ToLower(name) || OwnVariable(name)
}

// ownWords are everyday words in the names of a script's own variables.
const ownWords = `
	a all app arch arg args author back bar base baz before begin branch bytes changed ci class code col color column commit count current d data date day days default dest diff dir directory dirs
	e ent entry err error exit ext f field file filename files first fmt foo from g greeting h hash head here i id idx index input issue item items j k kind l label last len length level lib limit line lines list loc
	log logs m main max merge message min mod module modules month msg my n name names new next no num number o obj old one out output p package packages pat pattern pid pids pkg pkgs port pos pr pref prefix prev
	project q query r rc ref release remote rep repo repos res result results ret rev root rows s service services sha short since size skip some src start state step str string subdir suffix sum svc t tag tags
	target test tests text this time to today top total ts two type u until url user users v val value values var ver version w when where word words x y year yesterday z
`

// listed tells whether a word stands in a list of words.
func listed(list, word string) bool {
	for one := range strings.FieldsSeq(list) {
		if one == word {
			return true
		}
	}
	return false
}

// heededWords are lower-case words in the names of variables used by programs or shells
// (https_proxy, npm_config_prefix, auto_resume).
const heededWords = `
	auto bun cargo config deno dyld env gem git gradle hist ld maven module node npm pip pnpm poetry proxy resume uv yarn
`

// OwnVariable reports whether a name is a script's own variable, without meaning for shells and
// programs: it is made of everyday words, or is short, in small letters, no parameter of zsh,
// and without any of heededWords.
func OwnVariable(name string) bool {
	lower := strings.ToLower(name)
	if name != lower && name != strings.ToUpper(name) {
		return false
	}
	if own := name == lower && len(name) <= 24 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""; own && name != "" && !listed(zshNames, name) {
		heeded := slices.ContainsFunc(strings.Split(name, "_"), func(word string) bool { return listed(heededWords, word) })
		if !heeded || !strings.Contains(name, "_") && len(name) <= 12 {
			return true
		}
	}
	for part := range strings.SplitSeq(lower, "_") {
		if !listed(ownWords, strings.TrimRight(part, "0123456789")) {
			return false
		}
	}
	return !listed(zshNames, name)
}

// zshNames are the lower-case parameters set or used by zsh, or a module of it. Source:
// zshparam(1), zshmodules(1), zshcontrib(1).
const zshNames = `
	aliases argv builtins cdpath commands compstate dirstack dis epochtime errnos fignore fpath funcfiletrace funcsourcetrace funcstack functions functrace galiases histchars history historywords
	jobdirs jobstates jobtexts keymaps killring langinfo mailpath manpath mapfile match mbegin mend module module_path modules nameddirs options parameters patchars path pipestatus prompt psvar reply reswords
	saliases signals status suffix sysparams termcap terminfo userdirs usergroups watch widgets words zle
`

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

// psActs refuses to show the environment of processes: the format "environ", and "e" among the
// letters of BSD's form. Any word without a dash may be that form unless it is a value.
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

// topAsks asks about an interactive top: it can end processes.
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

// killActs lets signals be listed, and processes be asked whether they are there:
// signal 0 is none.
func killActs(u *Use) string {
	if asks := len(u.Words) > 2 && u.Words[1].Text == "-0"; asks && !slices.ContainsFunc(u.Words[2:], func(w Word) bool { return strings.Trim(w.Text, "0123456789") != "" }) {
		return ""
	}
	if !signalsListed(u) {
		return u.Program + " sends a signal"
	}
	return ""
}

// hard are the spellings of the signal without a handler.
func hard(signal string) bool {
	signal = strings.TrimPrefix(strings.ToUpper(signal), "SIG")
	return signal == "9" || signal == "KILL"
}

// signalAsks asks about signals without a chance to clean up, and about every process at once.
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

// controlActs returns a judge requiring one of the verbs, or none at all.
func controlActs(verbs ...string) func(*Use) string {
	return func(u *Use) string {
		if len(u.Operands) == 0 || slices.Contains(verbs, u.Operands[0].Text) {
			return ""
		}
		return u.Program + " " + u.Operands[0].Text + " is not known to only read"
	}
}

// rulesListed refuses an iptables without a listing option.
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

// ipObjects are objects of ip without secrets; xfrm and macsec hold keys.
var ipObjects = []string{"address", "addr", "a", "ad", "link", "li", "l", "route", "ro", "r", "neighbour", "neighbor", "neigh", "n", "rule", "ru", "maddress", "maddr", "netns", "nexthop", "mroute", "ntable", "tcp_metrics", "help"}

// ipActs requires an object to show. Verbs may be abbreviated ambiguously ("ip link s" sets),
// so only full ones count.
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

// manActs refuses pages from files: their own requests format them.
func manActs(u *Use) string {
	for _, o := range u.Operands {
		if strings.Contains(o.Text, "/") {
			return "man formats the file " + o.Text
		}
	}
	return ""
}

// systemctlAsks asks about stopping the machine.
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

// wallAsks asks about changes of the firewall.
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

// modulesAsk asks about loading and unloading parts of the kernel.
func modulesAsk(u *Use) string {
	if u.asksVersion() || len(u.Args()) == 0 || u.Program == "modprobe" && u.Has("-n", "-c", "-D", "-R") {
		return ""
	}
	if u.Program == "kmod" && len(u.Operands) > 0 && slices.Contains([]string{"list", "static-nodes", "help"}, u.Operands[0].Text) {
		return ""
	}
	return u.Program + " changes what the kernel is made of"
}

// sysctlAsks asks about changed settings of the kernel.
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

// attachAsks asks about attaching to another session's process.
func attachAsks(u *Use) string {
	if u.Has("-p") {
		return u.Program + " -p looks into a process that runs already"
	}
	return ""
}

// laterAsks asks about scheduled commands.
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
