#!/bin/sh
# Creates a trigger that updates the dependencies of a repository every night, in a new workspace each time.
#
#   ./create.sh REPOSITORY_URL
#
# Required: CHATD_URL, CHATD_TOKEN. Optional: CHATD (the command), NAME, CRON, TIMEZONE.
set -eu

repository=$1
chatd=${CHATD:-chatd}
name=${NAME:-nightly-update}

template=$($chatd template create "$name" --git "$repository" --network internet --json |
  sed -n 's/^  "id": "\(.*\)",$/\1/p')

# Nobody is there at night: commands run without questions, except those that leave the workspace.
$chatd triggers create "$name" "$(cat "$(dirname "$0")/prompt.md")" \
  --cron "${CRON:-0 3 * * *}" --timezone "${TIMEZONE:-UTC}" --missed once \
  --concurrency skip --max-failures 3 --spend-limit 20 \
  --set "chat={
    \"template_id\": \"$template\",
    \"labels\": {\"source\": \"$name\"},
    \"approvals\": [
      {\"pattern\": \"execute\", \"action\": \"allow\"},
      {\"pattern\": \"edit_files\", \"action\": \"allow\"},
      {\"pattern\": \"execute(git push*)\", \"action\": \"ask\"}
    ]
  }"
