#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Which RocksDB a script works on: make's BASE, or the default one.

Each base is a folder of scripts/rocksdb-pin. The default base is built in
build/, another one in build/<its version>/.
"""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PINS = ROOT / "scripts/rocksdb-pin"
DEFAULT = (PINS / "default").read_text().strip()
# The default one first.
BASES = sorted((path.parent.name for path in PINS.glob("*/SHA256SUMS")),
               key=lambda name: (name != DEFAULT, name))
BASE = os.environ.get("BASE") or DEFAULT
if BASE not in BASES:
    sys.exit(f"BASE={BASE} is no RocksDB that we build on: "
             f"use BASE={'|'.join(BASES)}, or unset it for {DEFAULT}")


def build_folder(base=BASE):
    return ROOT / "build" / ("" if base == DEFAULT else base)


BUILD = build_folder()
