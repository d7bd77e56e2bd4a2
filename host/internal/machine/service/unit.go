package service

import (
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// label is the service's name for launchd.
const label = "callgate"

// unit is the text of the service's unit: systemd's, or launchd's on macOS.
func (o Options) unit(l layout) string {
	switch {
	case o.OS == "darwin":
		return plist(o, l)
	case o.Level == boundary.B:
		return systemUnit(o, l)
	}
	return userUnit(l)
}

// hardening are the restrictions possible in a user's manager as well: it can set up only system
// call filters. Not among them: MemoryDenyWriteExecute, because the sandbox compiles modules to
// machine code; PrivateTmp and ProtectHome=yes, because the daemon must see the files of calls;
// ProtectProc, because it looks up the terminal of an answer.
const hardening = `NoNewPrivileges=yes
UMask=0077
LimitCORE=0
LockPersonality=yes
RestrictRealtime=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
SystemCallArchitectures=native
`

func userUnit(l layout) string {
	return fmt.Sprintf(`[Unit]
Description=Callgate: decides whether an AI agent's tool calls may run
Documentation=https://github.com/callgate/callgate

[Service]
ExecStart=%s serve --quiet
Restart=on-failure
RestartSec=1
%s
[Install]
WantedBy=default.target
`, quoteUnit(l.binary), hardening)
}

func systemUnit(o Options, l layout) string {
	b := basesOf(o.OS)
	return fmt.Sprintf(`[Unit]
Description=Callgate: decides whether an AI agent's tool calls may run
Documentation=https://github.com/callgate/callgate
After=local-fs.target

[Service]
ExecStart=%[1]s serve --quiet
User=%[2]s
Group=%[2]s
Environment=HOME=%[3]s XDG_CONFIG_HOME=%[4]s XDG_STATE_HOME=%[5]s XDG_CACHE_HOME=%[6]s TMPDIR=%[6]s/callgate
RuntimeDirectory=callgate
RuntimeDirectoryMode=0755
StateDirectory=callgate
StateDirectoryMode=0700
CacheDirectory=callgate
CacheDirectoryMode=0700
WorkingDirectory=%[3]s
Restart=on-failure
RestartSec=1
# It reads, and only reads, what calls touch: links, git configuration and
# .callgate.yaml below homes that are private.
AmbientCapabilities=CAP_DAC_READ_SEARCH
CapabilityBoundingSet=CAP_DAC_READ_SEARCH
%[7]sRestrictSUIDSGID=yes
ProtectSystem=strict
# callgate tool add puts modules there, through the daemon.
ReadWritePaths=-%[8]s
ProtectHome=read-only
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`, quoteUnit(l.binary), l.account, l.dirs.Home, b.config, b.state, b.cache, hardening, l.modules)
}

// quoteUnit writes a path as one literal word for systemd. Source: systemd.service(5), command
// lines.
func quoteUnit(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(path) + `"`
}

func plist(o Options, l layout) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
`)
	pair := func(key, value string) { fmt.Fprintf(&b, "\t<key>%s</key>\n\t%s\n", key, value) }
	pair("Label", text(label))
	pair("ProgramArguments", "<array>"+text(l.binary)+text("serve")+text("--quiet")+"</array>")
	pair("RunAtLoad", "<true/>")
	pair("KeepAlive", "<dict><key>SuccessfulExit</key><false/></dict>")
	pair("Umask", "<integer>63</integer>")
	pair("StandardErrorPath", text(filepath.Join(l.dirs.State, "serve.log")))
	if o.Level == boundary.B {
		base := basesOf(o.OS)
		pair("UserName", text(l.account))
		pair("WorkingDirectory", text(l.dirs.Home))
		pair("EnvironmentVariables", "<dict><key>HOME</key>"+text(l.dirs.Home)+"<key>XDG_CONFIG_HOME</key>"+text(base.config)+
			"<key>XDG_STATE_HOME</key>"+text(base.state)+"<key>XDG_CACHE_HOME</key>"+text(base.cache)+"</dict>")
	}
	b.WriteString("</dict>\n</plist>\n")
	return b.String()
}

func text(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return "<string>" + b.String() + "</string>"
}
