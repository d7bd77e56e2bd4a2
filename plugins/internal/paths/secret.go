package paths

import (
	"slices"
	"strings"
)

// secret reports whether a path is, or lies in, a secret.
func secret(s split) bool {
	last := s.aliases[len(s.aliases)-1]
	switch {
	case deviceSecret(s):
		return true
	case slices.ContainsFunc(last, example):
		return secretTable.find(split{segments: s.segments, aliases: append(slices.Clone(s.aliases[:len(s.aliases)-1]), []string{""}), absolute: s.absolute, home: s.home}, anyGroup) != nil
	case secretTable.find(s, anyGroup) != nil, slices.ContainsFunc(last, secretName):
		return true
	}
	base := s.segments[len(s.segments)-1]
	return strings.HasPrefix(base, ".") && hasMeta(base) && strings.Trim(base[:strings.IndexAny(base, "*?[")], ".") == ""
}

// anyOfAKind reports whether a folded name is a glob with nothing but an ordinary extension: *.txt,
// *.json. Like "*", it is judged by its directory; the glob is not about a possible secret among
// such files. RATIONALE.md, "Why may `cat *.json` and not `cat cred*.json`?".
func anyOfAKind(name string) bool {
	extension, ok := strings.CutPrefix(strings.TrimLeft(name, "*?"), ".")
	if !ok || !strings.ContainsAny(name, "*?") || strings.Trim(extension, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return false
	}
	one := "x." + extension
	return secretTable.named(one, true) == nil && !secretName(one)
}

func anyGroup(*group) bool { return true }

// secretName reports whether a folded name has the form of a secret's, or of a copy's.
func secretName(name string) bool {
	for _, copied := range copies {
		rest, ok := strings.CutSuffix(name, copied)
		if !ok || strings.Trim(rest, ".") == "" {
			continue
		}
		if namesSecret(rest) || strings.HasPrefix(copied, ".sw") && namesSecret(rest[1:]) { // vim puts a dot before it
			return true
		}
	}
	return secretForm(name)
}

// copies are additions by editors, package managers and people to the name of a copy.
var copies = []string{".bak", ".old", ".orig", ".save", ".backup", ".copy", ".new", ".tmp", ".dpkg-old", ".dpkg-dist", ".rpmsave", ".rpmnew", ".swp", ".swo", "~", "-backup", "-old", "_backup", ".1"}

// namesSecret reports whether a folded name without signs of a copy is a secret's.
func namesSecret(name string) bool {
	return secretTable.named(name, true) != nil || secretName(name)
}

func secretForm(name string) bool {
	return environmentFile(name) || namedEnvironment(name) || privateKey(name)
}

// stages are where a program runs, as environment files are named for it.
var stages = names("local", "dev", "development", "staging", "stage", "prod", "production", "live", "secret", "secrets", "private", "keys")

// namedEnvironment reports whether a name is an environment file's with a name of its own:
// prod.env, docker.env.local, env.production.
func namedEnvironment(name string) bool {
	if strings.Contains(name, ":") {
		return false // the part after a colon counts by itself
	}
	if stem, ok := strings.CutSuffix(name, ".env"); ok && stem != "" {
		return true
	}
	stem, stage, _ := strings.Cut(name, "env.")
	return stages[stage] && (stem == "" || strings.HasSuffix(stem, "."))
}

// privateKey reports whether a name is an SSH key's with a person's addition, id_ed25519_work, or a
// key file's without an extension: deploy_key, github-deploy-key, private_key.
func privateKey(name string) bool {
	if strings.HasSuffix(name, ".pub") || !strings.HasPrefix(name, "id") && !strings.Contains(name, "key") && !strings.Contains(name, "kubeconfig") {
		return false
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' })
	if !strings.ContainsAny(name, ".*?[") {
		for i, word := range words {
			if word == "deploykey" || word == "privatekey" || word == "key" && i > 0 && (words[i-1] == "deploy" || words[i-1] == "private") {
				return true
			}
			if word == "kubeconfig" {
				return true
			}
		}
	}
	return len(words) > 2 && words[0] == "id" && secretTable.names["id_"+words[1]] != nil
}

// deviceSecret reports whether the path is a device, or shows a process or the
// kernel's memory.
func deviceSecret(s split) bool {
	if !s.absolute || len(s.aliases) < 2 {
		return false
	}
	second := s.aliases[1][0]
	switch s.aliases[0][0] {
	case "dev":
		return true
	case "proc":
		process := second == "self" || second == "thread-self" || hasMeta(second) || strings.Trim(second, "0123456789") == ""
		return process && len(s.aliases) > 2 || second == "kcore" || second == "kmsg" || second == "keys"
	}
	return false
}

// kernelFacts are files of the kernel about the machine, of no process and without
// contents of memory. Nothing can be put in their place.
var kernelFacts = names(
	"/proc/buddyinfo", "/proc/cgroups", "/proc/cpuinfo", "/proc/crypto", "/proc/devices", "/proc/diskstats", "/proc/filesystems", "/proc/interrupts", "/proc/loadavg", "/proc/meminfo", "/proc/misc", "/proc/modules",
	"/proc/mounts", "/proc/partitions", "/proc/softirqs", "/proc/stat", "/proc/swaps", "/proc/uptime", "/proc/version", "/proc/vmstat", "/proc/zoneinfo",
)

// KernelFact reports whether a path, as written, is a file of the kernel about the machine and no
// process: readable although /proc cannot be followed.
func KernelFact(p string) bool { return kernelFacts[p] }
