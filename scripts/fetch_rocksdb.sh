#!/usr/bin/env bash
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
#
# Copies the pristine source of a pinned RocksDB to a folder:
#
#   scripts/fetch_rocksdb.sh VERSION DESTINATION
#
# VERSION is one of the folders of rocksdb-pin.
#
# ROCKSDB_SOURCE=<folder or tarball> names the source to use. Otherwise cargo
# fetches the pinned crate, which contains RocksDB's source tree; if that is not
# available, git clones the release's tag. In each case the files in
# rocksdb-pin/VERSION/SHA256SUMS are copied, and each must have the digest
# recorded there. (docs/, wiki/ and dot files are omitted: no build needs them.)
#
# The crate of 11.8.1 has no java/. If the source that is named has one, it is
# copied, too.
set -euo pipefail

readonly REPOSITORY=https://github.com/facebook/rocksdb

die() {
  echo "fetch_rocksdb: $*" >&2
  exit 1
}

[ $# -eq 2 ] || die "usage: $0 VERSION DESTINATION"
readonly VERSION="$1"
destination="$2"
readonly PINS="$(cd "$(dirname "$0")/rocksdb-pin" && pwd)"
readonly PIN_DIR="$PINS/$VERSION"
readonly CHECKSUMS="$PIN_DIR/SHA256SUMS"
[ -f "$CHECKSUMS" ] ||
  die "RocksDB $VERSION is not pinned; give one of" \
    "$(cd "$PINS" && echo */SHA256SUMS | sed 's#/SHA256SUMS##g')"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

# Prints the folder of the crate's RocksDB tree in cargo's registry.
fetch_crate() {
  cargo fetch --quiet --locked --manifest-path "$PIN_DIR/Cargo.toml" &&
    cargo metadata --offline --locked --format-version 1 \
      --manifest-path "$PIN_DIR/Cargo.toml" |
    /usr/bin/python3 -c '
import json, os, sys
for package in json.load(sys.stdin)["packages"]:
    if package["name"] == "librocksdb-sys":
        print(os.path.join(os.path.dirname(package["manifest_path"]),
                           "rocksdb"))'
}

# Prints the folder of a fresh clone.
clone_tag() {
  git -c advice.detachedHead=false clone --quiet --depth 1 \
    --branch "v$VERSION" "$REPOSITORY" "$scratch/clone" &&
    echo "$scratch/clone"
}

how="ROCKSDB_SOURCE=$(printf %q "${ROCKSDB_SOURCE:-}")"
if [ -n "${ROCKSDB_SOURCE:-}" ]; then
  if [ -d "$ROCKSDB_SOURCE" ]; then
    source_dir="$ROCKSDB_SOURCE"
  elif [ -f "$ROCKSDB_SOURCE" ]; then
    # A release tarball has one folder, whatever its name.
    tar -xf "$ROCKSDB_SOURCE" -C "$scratch" --strip-components=1 \
      2>"$scratch/tar" ||
      die "$how is no tarball; give one of RocksDB v$VERSION"
    source_dir="$scratch"
  else
    die "$how does not exist; give a folder or tarball of RocksDB v$VERSION"
  fi
elif command -v cargo >"$scratch/cargo" && source_dir="$(fetch_crate)"; then
  how="$source_dir (cargo's copy)"
elif command -v git >"$scratch/git" && source_dir="$(clone_tag)"; then
  how="the git clone"
else
  die "neither cargo nor git could fetch RocksDB $VERSION;" \
    "install cargo and go online, or set" \
    "ROCKSDB_SOURCE=<folder or tarball of v$VERSION>"
fi

version_h="$source_dir/include/rocksdb/version.h"
[ -f "$version_h" ] ||
  die "$how holds no RocksDB source (no include/rocksdb/version.h);" \
    "give a folder or tarball of v$VERSION"
found="$(sed -n 's/^#define ROCKSDB_\(MAJOR\|MINOR\|PATCH\) //p' \
  "$version_h" | paste -sd.)"
[ "$found" = "$VERSION" ] ||
  die "$how is RocksDB $found, not $VERSION; give v$VERSION"

if ! (cd "$source_dir" && sha256sum --check --quiet "$CHECKSUMS") \
  >"$scratch/damaged" 2>&1; then
  die "$how differs from RocksDB v$VERSION in" \
    "$(grep -c ': FAILED' "$scratch/damaged") file(s), the first" \
    "$(sed -n 's/: FAILED.*//p' "$scratch/damaged" | head -n 1);" \
    "delete it and take a fresh copy of v$VERSION"
fi

mkdir -p "$destination"
# File names follow 64 hexadecimal digits and two blanks.
cut -c67- "$CHECKSUMS" |
  tar -c -C "$source_dir" --files-from=- | tar -x -C "$destination"
if [ -d "$source_dir/java" ] && ! [ -d "$destination/java" ]; then
  cp -r "$source_dir/java" "$destination/java"
fi
