#!/bin/sh
# Gives each daemon its directory: the configuration, the password of the database, and the keys and
# tokens that all daemons of a store share. They are made once, and kept.
set -eu
umask 077
secrets=${SECRETS:-/run/secrets} config=${CONFIG:-/callgate.yaml} shared=${SHARED:-/shared}
if [ ! -s "$shared/audit.key" ]; then
  secret() { head -c 32 /dev/urandom | base64 | tr -d '=\n' | tr '+/' '-_'; }
  echo "cg_admin_$(secret)" >"$shared/admin.token"
  echo "cg_check_$(secret)" >"$shared/default.token"
  head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >"$shared/audit.key"
fi
for data in ${DATA:-/data-1 /data-2}; do
  mkdir -p "$data/state/callgate/agents" "$data/config/callgate" "$data/cache" "$data/run"
  cp "$shared/admin.token" "$shared/audit.key" "$data/state/callgate/"
  cp "$shared/default.token" "$data/state/callgate/agents/"
  cp "$config" "$data/config/callgate/callgate.yaml"
  printf 'postgres:5432:callgate:callgate:%s\n' "$(cat "$secrets/postgres_password")" >"$data/pgpass"
  chown -R "${OWNER:-65532:65532}" "$data"
done
# The agent's account reads its own token alone.
mkdir -p "${AGENT:-/agent}"
cp "$shared/default.token" "${AGENT:-/agent}/"
chown -R "${AGENT_OWNER:-1000:1000}" "${AGENT:-/agent}"
