#!/usr/bin/env bash
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
#
# Simulates a slow disk: a loop device whose I/O the kernel throttles, so that
# any program sees the same slow disk. Needs root.
#
#   slow_disk.sh up   FOLDER [PROFILE] [SIZE]  create it, mount at FOLDER/mnt
#   slow_disk.sh exec FOLDER COMMAND...        run a throttled command
#   slow_disk.sh limit FOLDER PROFILE          change its speed
#   slow_disk.sh down FOLDER                   remove everything
#   slow_disk.sh check                         can this machine do it?
#   slow_disk.sh limits PROFILE                its limits, as four numbers
#
# Profiles: gp3 (default)  10,000 IOPS, 1,000 MiB/s each way
#           hdd            400 IOPS, 260 MiB/s reading, 250 MiB/s writing
# SIZE (default 16G) is the size of a sparse file, which uses only the space
# that is written.
#
# The kernel throttles in slices of about 100 ms: throughput is exact, latency
# comes in bursts. If `up` fails or is interrupted, it removes what it created.
# `down` may be called at any time and repeatedly.
set -euo pipefail

readonly V1_ROOT=/sys/fs/cgroup/blkio
readonly V1_PROBE=$V1_ROOT/blkio.throttle.read_iops_device
readonly V2_ROOT=/sys/fs/cgroup
readonly UMOUNT_TRIES=20

die() {
  echo "slow_disk.sh: $*" >&2
  exit 1
}

usage() {
  sed -n 's/^#   \(slow_disk.sh.*\)/usage: \1/p' "$0" >&2
  exit 2
}

# Which cgroup can throttle: 1, 2, or nothing.
cgroup_version() {
  if [ -e "$V1_PROBE" ]; then
    echo 1
  elif grep -qw io "$V2_ROOT/cgroup.controllers" 2>/dev/null; then
    echo 2
  fi
}

# Prints why this machine cannot throttle; nothing if it can.
obstacle() {
  if [ "$(id -u)" -ne 0 ]; then
    echo "needs root"
  elif [ -z "$(cgroup_version)" ]; then
    echo "no cgroup here throttles block devices"
  elif ! losetup -f > /dev/null 2>&1; then
    echo "no loop device is to be had"
  elif ! command -v mkfs.ext4 > /dev/null; then
    echo "mkfs.ext4 is missing (Debian: apt-get install e2fsprogs)"
  fi
}

limits_of() {  # PROFILE: read_iops write_iops read_bps write_bps (bytes)
  local mib=$((1024 * 1024))
  case $1 in
    gp3) echo 10000 10000 $((1000 * mib)) $((1000 * mib)) ;;
    hdd) echo 400 400 $((260 * mib)) $((250 * mib)) ;;
    *) die "unknown profile $1 (gp3, hdd)" ;;
  esac
}

make_cgroup() {  # NAME DEVICE PROFILE: prints the folder of the cgroup
  local number limits folder
  number=$((0x$(stat -c %t "$2"))):$((0x$(stat -c %T "$2")))
  limits=$(limits_of "$3")
  # shellcheck disable=SC2086 # four words
  set -- "$1" $limits
  if [ "$(cgroup_version)" = 1 ]; then
    folder=$V1_ROOT/$1
    mkdir -p "$folder"
    echo "$number $2" > "$folder/blkio.throttle.read_iops_device"
    echo "$number $3" > "$folder/blkio.throttle.write_iops_device"
    echo "$number $4" > "$folder/blkio.throttle.read_bps_device"
    echo "$number $5" > "$folder/blkio.throttle.write_bps_device"
  else
    folder=$V2_ROOT/$1
    echo +io > "$V2_ROOT/cgroup.subtree_control"
    mkdir -p "$folder"
    echo "$number riops=$2 wiops=$3 rbps=$4 wbps=$5" > "$folder/io.max"
  fi
  echo "$folder"
}

# The state of a slow disk is the files `device` and `cgroup` in its folder,
# each written as soon as the thing it names exists.
up() {
  local folder=$1 profile=$2 size=$3 why device
  why=$(obstacle)
  [ -z "$why" ] || die "$why"
  limits_of "$profile" > /dev/null
  [ ! -e "$folder/device" ] || die "$folder is up already"
  mkdir -p "$folder/mnt"
  folder=$(cd "$folder" && pwd)
  # Global, because the locals of this function are gone when the trap runs.
  FOLDER_TO_REMOVE=$folder
  trap 'down "$FOLDER_TO_REMOVE"' EXIT
  trap 'exit 130' INT TERM HUP
  truncate -s "$size" "$folder/image"
  device=$(losetup -f --show --direct-io=on "$folder/image")
  echo "$device" > "$folder/device"
  mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$device"
  mount "$device" "$folder/mnt"
  make_cgroup "hotrap-slow-$(basename "$device")" "$device" "$profile" \
    > "$folder/cgroup"
  echo "$profile" > "$folder/profile"
  trap - EXIT INT TERM HUP
  echo "slow disk ($profile) at $folder/mnt"
}

limit() {
  local folder=$1 profile=$2
  [ -s "$folder/device" ] || die "$folder is not up"
  make_cgroup "$(basename "$(cat "$folder/cgroup")")" \
    "$(cat "$folder/device")" "$profile" > /dev/null
  echo "$profile" > "$folder/profile"
}

exec_in() {
  local folder=$1
  shift
  [ -s "$folder/cgroup" ] || die "$folder is not up"
  echo $$ > "$(cat "$folder/cgroup")/cgroup.procs"
  export HOTRAP_SLOW_DISK=kernel
  exec "$@"
}

down() {
  local folder=$1 cgroup device tries pid
  if [ -s "$folder/cgroup" ]; then
    cgroup=$(cat "$folder/cgroup")
    if [ -d "$cgroup" ]; then
      # Move remaining processes to the root of the hierarchy.
      while read -r pid; do
        echo "$pid" > "$(dirname "$cgroup")/cgroup.procs" || true
      done < "$cgroup/cgroup.procs"
      rmdir "$cgroup"
    fi
  fi
  if mountpoint -q "$folder/mnt" 2>/dev/null; then
    tries=0
    until umount "$folder/mnt" 2>/dev/null; do
      tries=$((tries + 1))
      if [ "$tries" -ge "$UMOUNT_TRIES" ]; then
        umount --lazy "$folder/mnt"
        break
      fi
      sleep 0.1
    done
  fi
  if [ -s "$folder/device" ]; then
    device=$(cat "$folder/device")
    # Only if it is still ours: device numbers are reused.
    if losetup "$device" 2>/dev/null | grep -qF "$folder/image"; then
      losetup -d "$device"
    fi
  fi
  rm -rf "$folder/image" "$folder/device" "$folder/cgroup" "$folder/profile"
  rmdir "$folder/mnt" "$folder" 2>/dev/null || true
}

main() {
  [ $# -ge 1 ] || usage
  local command=$1
  shift
  case $command in
    up)
      [ $# -ge 1 ] || usage
      up "$1" "${2:-gp3}" "${3:-16G}"
      ;;
    exec)
      [ $# -ge 2 ] || usage
      exec_in "$@"
      ;;
    limit)
      [ $# -eq 2 ] || usage
      limit "$@"
      ;;
    limits)
      [ $# -eq 1 ] || usage
      limits_of "$1"
      ;;
    down)
      [ $# -eq 1 ] || usage
      [ ! -d "$1" ] || down "$(cd "$1" && pwd)"
      ;;
    check)
      why=$(obstacle)
      [ -z "$why" ] || die "$why"
      ;;
    *) usage ;;
  esac
}

main "$@"
