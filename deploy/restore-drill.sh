#!/bin/sh
# Proves that a backup can be restored: puts it into a folder that is thrown away, looks at it, and serves it to nobody.
#
#   sh deploy/restore-drill.sh                 takes a backup of the server that the settings lead to, and uses that
#   sh deploy/restore-drill.sh chatd.backup    uses this one
#
# CHATD: how chatd is called, `chatd` unless told. CHATD_SECRET_KEY or SECRET_KEY_FILE: what decrypts the keys of providers.
set -eu
chatd=${CHATD:-chatd}
folder=$(mktemp -d)
# PostgreSQL runs under an account of its own when we are root, and must be able to pass through.
chmod 711 "$folder"
server=
end() {
  if [ -n "$server" ]; then
    kill "$server" 2> /dev/null || true
    wait "$server" 2> /dev/null || true
  fi
  rm -rf "$folder"
}
trap end EXIT
trap 'exit 130' INT TERM

backup=${1:-}
if [ -z "$backup" ]; then
  backup=$folder/drill.backup
  $chatd backup "$backup"
fi

# From here on nothing leads to the real database, nor to the bus of the replicas.
export CHATD_DATABASE_URL= CHATD_DATABASE_DIRECT_URL= CHATD_BUS_URL= CHATD_DATA_DIR="$folder/data"
# Nobody's chats go on here: they do so in the real one.
export CHATD_CONCURRENCY=0 CHATD_WORKSPACES=0 CHATD_LISTEN=127.0.0.1:0
CHATD_ADMIN_TOKEN=$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')
export CHATD_ADMIN_TOKEN

$chatd restore "$backup" --yes
if [ -n "${SECRET_KEY_FILE:-}" ]; then install -m 600 "$SECRET_KEY_FILE" "$CHATD_DATA_DIR/secret.key"; fi
# Ends with 1 when stored keys cannot be decrypted.
$chatd doctor --local

$chatd serve > "$folder/ready" 2> "$folder/log" &
server=$!
until url=$(sed -n 's/.*ready at \([^ ]*\).*/\1/p' "$folder/ready") && [ -n "$url" ]; do
  kill -0 "$server" 2> /dev/null || { cat "$folder/log" >&2; exit 1; }
  sleep 1
done
CHATD_URL=$url CHATD_TOKEN=$CHATD_ADMIN_TOKEN $chatd doctor --remote
echo "The drill passed: $(basename "$backup") was restored and served."
