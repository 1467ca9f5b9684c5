#!/bin/bash
# A stand-in for the Docker CLI: logs its arguments to $FAKE_DOCKER/log, keeps "containers" as folders, and runs their
# commands on this machine, in bubblewrap. It does not test Docker itself.
set -u
state=$FAKE_DOCKER
printf '%q ' "$@" >> "$state/log"; echo >> "$state/log"
last() { echo "${!#}"; }
missing() { echo "Error response from daemon: No such container: $1" >&2; exit 1; }
case $1 in
  create)
    shift
    while [ "$1" != --name ]; do shift; done
    mkdir -p "$state/$2/workspace" "$state/$2/tmp" ;;
  start) [ -d "$state/$2" ] || missing "$2"; touch "$state/$2/running" ;;
  stop) rm -f "$state/$(last "$@")/running" ;;
  rm) [ -d "$state/$(last "$@")" ] || missing "$(last "$@")"; rm -rf "${state:?}/$(last "$@")" ;;
  network)
    net=$state/$4/network
    if [ "$2" = connect ]; then
      [ -e "$net" ] && { echo "endpoint with name $4 already exists in network bridge" >&2; exit 1; }
      touch "$net"
    else
      [ -e "$net" ] || { echo "container $4 is not connected to network bridge" >&2; exit 1; }
      rm "$net"
    fi ;;
  cp) name=${3%%:*}; cp -a "$2" "$state/$name/workspace" ;;
  exec)
    shift
    dir=/workspace; env=()
    while [ "${1#-}" != "$1" ]; do
      case $1 in
        --workdir) dir=$2; shift 2 ;;
        --env) env+=(--setenv "${2%%=*}" "${2#*=}"); shift 2 ;;
        *) shift ;;
      esac
    done
    name=$1; shift
    [ -e "$state/$name/running" ] || { echo "container $name is not running" >&2; exit 1; }
    exec bwrap --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 \
      --proc /proc --dev /dev --bind "$state/$name/tmp" /tmp --bind "$state/$name/workspace" /workspace \
      --clearenv --setenv PATH /usr/bin:/bin --setenv HOME /tmp "${env[@]}" --chdir "$dir" "$@" ;;
  *) echo "fake docker does not know $1" >&2; exit 1 ;;
esac
