#!/usr/bin/env bash
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
#
# Installs the Debian packages that are needed and missing, as root or with a
# passwordless sudo. Otherwise prints the apt command and fails.
#
#   scripts/install_deps.sh [--check] [--demo] [--bench] [--java] [--packages]
#     [--clients] [--prometheus]
#
#   --check  never installs anything
#   --demo   also what `make demo` needs
#   --bench  also what `make bench` needs in addition
#   --java   also what `make java` needs
#   --packages  also what `make deb` and `make check-packages` need
#   --clients  also what `make check-clients` needs
#   --prometheus  also what `make check-prometheus` needs
set -euo pipefail

packages=(
  build-essential cmake git ninja-build pkg-config python3
  libbz2-dev libcsv-dev libgflags-dev libgtest-dev libjemalloc-dev liblz4-dev
  libsnappy-dev libxxhash-dev libzstd-dev nlohmann-json3-dev zlib1g-dev
)
check_only=false
for argument in "$@"; do
  case "$argument" in
    --check) check_only=true ;;
    # The slow disk, and the picture.
    --demo) packages+=(e2fsprogs mount util-linux python3-matplotlib) ;;
    # The report, and profiles.
    --bench) packages+=(python3-pandas linux-perf) ;;
    --java) packages+=(default-jdk-headless maven) ;;
    # The clean root; dpkg-shlibdeps is a part of build-essential.
    --packages) packages+=(file lintian mmdebstrap mount util-linux) ;;
    # The library, the server with promtool, and the picture.
    --prometheus)
      packages+=(prometheus prometheus-cpp-dev python3-matplotlib)
      ;;
    --clients)
      # bindgen, of Rust's crates, needs libclang. Debian 12's rustc is too old
      # for them; its rustc-web is not.
      packages+=(libclang-dev python3-cffi python3-pip python3-pytest)
      command -v cargo >/dev/null || packages+=(cargo-web rustc-web)
      command -v go >/dev/null || packages+=(golang-go)
      ;;
    *)
      echo "usage: $0 [--check] [--demo] [--bench] [--java] [--packages]" \
        "[--clients] [--prometheus]" >&2
      exit 2
      ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "install_deps: not a Debian system; the contents of these packages" \
    "must be installed: ${packages[*]}" >&2
  exit 0
fi

# cargo is only used to fetch RocksDB's source.
tree="$(dirname "$0")/../build"
[ -z "${BASE:-}" ] ||
  [ "$BASE" = "$(cat "$(dirname "$0")/rocksdb-pin/default")" ] ||
  tree="$tree/$BASE"
tree="$tree/rocksdb"
if [ -z "${ROCKSDB_SOURCE:-}" ] && ! command -v cargo >/dev/null &&
  [ ! -d "$tree" ]; then
  packages+=(ca-certificates)
  # Debian 12's cargo is too old for today's registry; its cargo-web is not.
  if grep -q '^VERSION_ID="12"' /etc/os-release; then
    packages+=(cargo-web)
  else
    packages+=(cargo)
  fi
fi

missing=()
for package in "${packages[@]}"; do
  status="$(dpkg-query --show --showformat='${db:Status-Status}' "$package" \
    2>/dev/null || true)"
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo --non-interactive)
install=(apt-get install --no-install-recommends -y "${missing[@]}")
if "$check_only" || ! "${as_root[@]}" true 2>/dev/null; then
  echo "install_deps: packages are missing; as root, run:" >&2
  echo "  apt-get update && ${install[*]}" >&2
  exit 1
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}"
