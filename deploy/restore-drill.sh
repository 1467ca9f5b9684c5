#!/bin/sh
# Checks that a backup can be restored: restores it into a temporary directory, checks it, and starts a private server.
#
#   sh deploy/restore-drill.sh                 takes a backup of the configured server and uses it
#   sh deploy/restore-drill.sh chatd.backup    uses this backup
#
# CHATD: the chatd command. Default: `chatd`. CHATD_SECRET_KEY or SECRET_KEY_FILE: the key that decrypts provider keys.
set -eu
chatd=${CHATD:-chatd}
folder=$(mktemp -d)
# As root, PostgreSQL runs as another user, which must be able to enter the directory.
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

# From here on, do not use the real database or bus.
export CHATD_DATABASE_URL= CHATD_DATABASE_DIRECT_URL= CHATD_BUS_URL= CHATD_DATA_DIR="$folder/data"
# Do not run chats, which the real server runs.
export CHATD_CONCURRENCY=0 CHATD_WORKSPACES=0 CHATD_LISTEN=127.0.0.1:0
CHATD_ADMIN_TOKEN=$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')
export CHATD_ADMIN_TOKEN

$chatd restore "$backup" --yes
if [ -n "${SECRET_KEY_FILE:-}" ]; then install -m 600 "$SECRET_KEY_FILE" "$CHATD_DATA_DIR/secret.key"; fi
# Exits with 1 if stored keys cannot be decrypted.
$chatd doctor --local

$chatd serve > "$folder/ready" 2> "$folder/log" &
server=$!
until url=$(sed -n 's/.*ready at \([^ ]*\).*/\1/p' "$folder/ready") && [ -n "$url" ]; do
  kill -0 "$server" 2> /dev/null || { cat "$folder/log" >&2; exit 1; }
  sleep 1
done
CHATD_URL=$url CHATD_TOKEN=$CHATD_ADMIN_TOKEN $chatd doctor --remote
echo "The drill passed: $(basename "$backup") was restored and served."
