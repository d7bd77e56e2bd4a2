#!/usr/bin/env bash
# Makes what an installation of another version leaves behind, for the upgrade
# test: make.sh BINARY NAME writes testdata/upgrade/NAME. Run it with the binary of
# the commit before a change of the store, the tokens or the configuration:
#
#   git worktree add /tmp/previous COMMIT && make -C /tmp/previous build
#   testdata/upgrade/make.sh /tmp/previous/bin/callgate NAME
set -euo pipefail
binary=$(realpath "$1")
out=$(cd "$(dirname "$0")" && pwd)/$2
home=$(mktemp -d)
trap 'kill %1 2>/dev/null || true; rm -rf "$home"' EXIT
export HOME=$home XDG_CONFIG_HOME=$home/config XDG_STATE_HOME=$home/state XDG_CACHE_HOME=${XDG_CACHE_HOME:-$HOME/.cache}
mkdir -p "$XDG_CONFIG_HOME/callgate"
cat >"$XDG_CONFIG_HOME/callgate/callgate.yaml" <<'Y'
defaults:
  mode: default
agents:
  builder:
    mode: accept_edits
    working_directories: [/srv/shop]
    user: ann
    timeout: 2m
    rules:
      - allow: "Bash(go test:*)"
        match: ["go test ./..."]
rules:
  - deny: "Bash(git push --force:*)"
asks:
  timeout: 10m
Y
cg() { "$binary" "$@"; }
"$binary" serve --quiet 2>"$home/log" &
until cg rules list >/dev/null 2>&1; do kill -0 %1 || { cat "$home/log"; exit 1; }; done
cg rules add allow 'Bash(npm run:*)' --match 'npm run build' --as ann >/dev/null
cg rules add deny 'Write(/srv/shop/secrets/**)' --scope agent --key builder >/dev/null
cg check --agent builder --session s1 --cwd /srv/shop --call-id call-1 Bash '{"command":"npm run build"}' >/dev/null
cg check --agent builder --session s1 --cwd /srv/shop --call-id call-2 Bash '{"command":"git push --force"}' >/dev/null || true
cg sessions set-mode s1 explore >/dev/null
# One ask that was approved with its rule, and one that waits.
ask() { until id=$(cg asks list --json | sed -n 's/^ *"id": "\(.*\)",/\1/p' | head -1) && [ -n "$id" ]; do :; done; }
"$binary" check --session s2 --cwd /srv/shop --call-id call-3 Bash '{"command":"make install"}' >/dev/null & check=$!
ask
cg asks answer "$id" approve --as ann >/dev/null
wait $check
"$binary" check --session s2 --cwd /srv/shop --call-id call-4 Bash '{"command":"make uninstall"}' >/dev/null 2>&1 & check=$!
ask
kill -TERM %1
wait %1 || true
wait $check || true
rm -rf "$out"
mkdir -p "$out"
cp -r "$XDG_CONFIG_HOME/callgate/callgate.yaml" "$XDG_STATE_HOME/callgate/callgate.db" "$XDG_STATE_HOME/callgate/admin.token" "$XDG_STATE_HOME/callgate/agents" "$out/"
cg version | head -1 >"$out/version.txt"
ls -l "$out"
