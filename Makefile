# HotRAP for RocksDB: `make help` lists the targets.
#
#   build/rocksdb   patched RocksDB, a throwaway git tree (scripts/patches.py)
#   build/release   NDEBUG, -O2: what is installed and measured
#   build/check     asserts and sync points: what is tested
#   build/stock     unpatched RocksDB, with our benchmark driver
#   build/java      our Java tests, as built by Maven
#
# BASE=<version> selects the RocksDB to build on, a folder of
# scripts/rocksdb-pin. All this is in build/<version>/ unless it is the default.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := release

DEFAULT_BASE := $(shell cat scripts/rocksdb-pin/default)
# The crate of the default base has no RocksJava.
JAVA_BASE := $(if $(ROCKSDB_SOURCE),$(DEFAULT_BASE),10.4.2)
ifneq ($(filter java java-% check-java% %-kafka,$(MAKECMDGOALS)),)
BASE ?= $(JAVA_BASE)
endif
BASE ?= $(DEFAULT_BASE)
export BASE
OLDER_BASES := $(filter-out $(DEFAULT_BASE),$(notdir \
  $(patsubst %/SHA256SUMS,%,$(wildcard scripts/rocksdb-pin/*/SHA256SUMS))))
BUILD := build$(if $(filter-out $(DEFAULT_BASE),$(BASE)),/$(BASE))

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
# Of the libraries, below PREFIX.
LIBDIR ?= lib

# Targets share build folders; ninja and ctest parallelise the work.
.NOTPARALLEL:

# Builds must run on other machines of the same family, so do not use RocksDB's
# default, the CPU of the building machine. Haswell (2013) is the oldest x86 CPU
# with SSE4.2, PCLMUL and AVX2, which RocksDB's checksums and filters use.
PORTABLE ?= $(if $(filter x86_64,$(shell uname -m)),haswell,1)

CMAKE_FLAGS = -G Ninja -DROCKSDB_PLUGINS=hotrap -DPORTABLE=$(PORTABLE) \
  -DWITH_SNAPPY=ON -DWITH_LZ4=ON -DWITH_ZSTD=ON -DWITH_ZLIB=ON -DWITH_BZ2=ON \
  -DWITH_GFLAGS=ON -DUSE_RTTI=ON -DWITH_LIBURING=OFF -DWITH_TRACE_TOOLS=OFF \
  -DFAIL_ON_WARNINGS=ON -DROCKSDB_BUILD_SHARED=OFF \
  $(if $(CI_BUILD),-DHOTRAP_UNITY_OWN=ON)
# RocksDB sets the defaults of its WITH_ options after it has read our
# CMakeLists.txt, so the options that we need are set here.
# Position independent objects serve both libraries. Disabling semantic
# interposition keeps them as fast as others.
RELEASE_FLAGS = $(CMAKE_FLAGS) -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" \
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
  -DCMAKE_CXX_FLAGS=-fno-semantic-interposition \
  -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DCMAKE_INSTALL_LIBDIR=$(LIBDIR) \
  -DWITH_BENCHMARK_TOOLS=ON -DWITH_TOOLS=OFF
CHECK_FLAGS = $(CMAKE_FLAGS) -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG="-O1 $(if $(CI_BUILD),,-g1)" \
  -DWITH_TESTS=ON -DWITH_BENCHMARK_TOOLS=OFF -DWITH_TOOLS=ON \
  $(UPSTREAM_TMPDIR:%=-DHOTRAP_UPSTREAM_TMPDIR=%)

# RocksDB's tests sync often. Like its own `make check`, keep their DBs in
# memory if there is enough. The folder is removed, so nobody can name another.
override UPSTREAM_TMPDIR := $(shell size=$$(df --output=size /dev/shm 2>/dev/null | tail -n 1); \
  if [ -w /dev/shm ] && [ "$$size" -ge 4000000 ]; then \
    echo /dev/shm/hotrap$(subst /,-,$(CURDIR))-$(BASE); fi 2>/dev/null)

.PHONY: release
release: release-configure  ## builds libraries and programs in build/release (default)
	cmake --build $(BUILD)/release -j $(JOBS) --target hotrap_release

.PHONY: check-build
check-build: check-tests  ## builds the library and our tests with asserts in build/check

# CTEST_FLAGS='-LE programs' leaves out what runs whole programs for minutes,
# FLAVOURS=check what is built with NDEBUG.
CTEST_FLAGS ?=
FLAVOURS ?= check release
.PHONY: check
check: deps $(FLAVOURS:%=%-tests) upstream-tests  ## builds and runs all tests of both flavours
	$(call run-tests,.,,$(CTEST_FLAGS))

.PHONY: check-own
check-own: $(FLAVOURS:%=%-tests)  ## builds and runs our tests only, in both flavours
	$(call run-tests,hotrap)

FLAVOUR ?= check
.PHONY: check-engine
check-engine: deps $(FLAVOUR)-configure  ## builds and runs our tests of the engine, with asserts only (FLAVOUR=release: with NDEBUG only)
	cmake --build $(BUILD)/$(FLAVOUR) -j $(JOBS) --target hotrap_engine_tests
	$(call run-tests,hotrap,/$(FLAVOUR),-LE programs)

.PHONY: check-upstream-core
check-upstream-core: upstream-tests  ## runs RocksDB's tests only, with HotRAP compiled in and off
	$(call run-tests,upstream)

.PHONY: check-upstream
check-upstream: check-configure  ## runs all of RocksDB's test programs, with HotRAP off and forced on (hours; resumable)
	scripts/check_upstream.py off
	scripts/check_upstream.py forced

KILLS ?= 100
.PHONY: crash-test
crash-test: check-configure  ## kills db_stress on two paths with HotRAP on, KILLS times
	cmake --build $(BUILD)/check -j $(JOBS) --target db_stress
	scripts/crash_test.py --kills=$(KILLS)

.PHONY: check-engines
check-engines: deps release-configure  ## runs and kills MyRocks- and TiKV-style programs (ENGINE_SECS=600 for the long form)
	cmake --build $(BUILD)/release -j $(JOBS) --target hotrap_engines
	scripts/check_engines.py

.PHONY: compatibility-check
compatibility-check: release bench-stock  ## moves a DB to a stock RocksDB and back, after a close and after a kill
	cmake --build $(BUILD)/release -j $(JOBS) --target two_path_ldb
	cmake --build $(BUILD)/stock -j $(JOBS) --target two_path_ldb
	$(if $(filter $(BASE),$(DEFAULT_BASE)),$(foreach base,$(OLDER_BASES),\
	  $(MAKE) release two-path-ldb BASE=$(base) &&) true)
	scripts/compatibility_check.py

.PHONY: check-tools
check-tools: release  ## runs every command of ldb and all groups of db_bench's benchmarks over two paths
	scripts/check_tools.py

.PHONY: check-operable
check-operable: deps check-prometheus-deps check-configure  ## checks at a small scale what the person on call relies on, and prints figures
	cmake -DHOTRAP_PROMETHEUS=ON $(BUILD)/check >/dev/null
	cmake --build $(BUILD)/check -j $(JOBS) --target hotrap_operable
	scripts/check_operable.py

.PHONY: check-prometheus check-prometheus-deps
check-prometheus: deps check-prometheus-deps check-configure  ## asks a real Prometheus what each panel of the dashboard asks
	cmake -DHOTRAP_PROMETHEUS=ON $(BUILD)/check >/dev/null
	cmake --build $(BUILD)/check -j $(JOBS) --target hotrap_exporter
	scripts/check_prometheus.py
check-prometheus-deps:
	@scripts/install_deps.sh --prometheus

.PHONY: two-path-ldb
two-path-ldb: release-configure
	cmake --build $(BUILD)/release -j $(JOBS) --target two_path_ldb

.PHONY: mutation-check
mutation-check: rocksdb-tree  ## removes each guard and shows which tests fail without it (an hour; resumable)
	scripts/mutation_check.py --jobs=$(JOBS)

.PHONY: check-tests upstream-tests release-tests
check-tests: check-configure
	cmake --build $(BUILD)/check -j $(JOBS) --target hotrap_tests
upstream-tests: check-configure
	cmake --build $(BUILD)/check -j $(JOBS) --target hotrap_upstream_tests
release-tests: release-configure
	cmake --build $(BUILD)/release -j $(JOBS) --target hotrap_tests

# One run of ctest over both folders gives one summary.
define run-tests
rm -rf $(BUILD)/check/test_tmp $(BUILD)/release/test_tmp $(UPSTREAM_TMPDIR)
mkdir -p $(BUILD)/check/test_tmp $(BUILD)/release/test_tmp $(UPSTREAM_TMPDIR)
echo 'subdirs($(FLAVOURS))' > $(BUILD)/CTestTestfile.cmake
ctest --test-dir $(BUILD)$(2) -j $(JOBS) -L '$(1)' $(3) --output-on-failure \
  --no-label-summary
rm -rf $(UPSTREAM_TMPDIR)
endef

.PHONY: deps demo-deps bench-deps java-deps deps-check
deps:  ## installs missing Debian packages (as root or with sudo)
	@scripts/install_deps.sh
demo-deps:
	@scripts/install_deps.sh --demo
bench-deps:
	@scripts/install_deps.sh --demo --bench
java-deps:
	@scripts/install_deps.sh --java
deps-check:
	@scripts/install_deps.sh --check

.PHONY: rocksdb-tree
rocksdb-tree: deps-check  ## fetches RocksDB and applies patches/ in build/rocksdb
	scripts/patches.py apply

# A folder is configured again when its flags change. If a CMakeLists.txt
# changes, ninja itself runs cmake again.
define configure
@flags='$(subst ','\'',$(2))'; \
if [ ! -f $(BUILD)/$(1)/build.ninja ] || \
   [ "$$flags" != "$$(cat $(BUILD)/$(1)/hotrap-flags)" ]; then \
  cmake -S $(BUILD)/$(or $(3),rocksdb) -B $(BUILD)/$(1) $(2); \
  echo "$$flags" > $(BUILD)/$(1)/hotrap-flags; \
fi
endef

.PHONY: release-configure check-configure
release-configure: rocksdb-tree
	$(call configure,release,$(RELEASE_FLAGS) $(JAVA_FLAGS))
check-configure: rocksdb-tree
	$(call configure,check,$(CHECK_FLAGS))

.PHONY: patches-check patches-refresh patches-count
patches-check patches-refresh patches-count: patches-%: rocksdb-tree
	scripts/patches.py $*

.PHONY: canary
canary: deps-check  ## tries the patches on the newest RocksDB, and prints what breaks, in build/canary
	scripts/canary.py --jobs=$(JOBS)

.PHONY: install
install: release  ## installs libraries, headers, CMake and pkg-config files, and programs to PREFIX
	cmake --install $(BUILD)/release

.PHONY: check-install
check-install: release  ## installs to a separate folder; builds and runs C, C++, CMake, Python and Java programs with it
	scripts/check_install.py --programs

# CPack packs what would be installed to /usr. For that the build folder is
# configured for another prefix, which compiles nothing.
DEB_FLAGS = PREFIX=/usr LIBDIR=lib/$$(dpkg-architecture -qDEB_HOST_MULTIARCH)
CPACK = cd $(BUILD)/release && cpack -B $(CURDIR)/build/packages
.PHONY: deb deb-libraries deb-java packages-deps
packages-deps:
	@scripts/install_deps.sh --packages
deb: packages-deps  ## builds Debian packages of the library, headers, tools and RocksJava in build/packages
	rm -f build/packages/*.deb
	$(MAKE) deb-libraries $(DEB_FLAGS)
	$(MAKE) deb-java BASE=$(JAVA_BASE) $(DEB_FLAGS)
deb-libraries: release
	$(CPACK) -D CPACK_COMPONENTS_ALL="runtime;devel;tools"
deb-java: java-jars
	$(CPACK) -D CPACK_COMPONENTS_ALL=java

.PHONY: check-packages check-packages-short
check-packages: deb  ## installs the packages into a Debian of its own; builds and runs C, C++, Rust, Go, Python and Java programs there
	scripts/check_packages.py
check-packages-short: packages-deps  ## the same without RocksJava, and with C and C++ only
	rm -f build/packages/*.deb
	$(MAKE) deb-libraries $(DEB_FLAGS)
	scripts/check_packages.py --only=c --only=c_stock --only=cpp_make \
	  --only=removal

# The jars with which RocksDB's Java tests are compiled; RocksDB's own build
# would fetch them from elsewhere. Once they exist, build/release has the Java
# targets, which plain `make` does not build.
JAVA_TEST_LIBS := $(BUILD)/rocksdb/java/test-libs
JAVA_FLAGS = -DWITH_JNI=$(if $(shell ls -d $(JAVA_TEST_LIBS) 2>/dev/null),ON,OFF)
# Our release's number follows RocksDB's.
HOTRAP_RELEASE := $(shell sed -n 's/^.define HOTRAP_RELEASE "\(.*\)"/\1/p' \
  include/rocksdb/hotrap.h)
MAVEN := mvn --batch-mode --no-transfer-progress \
  -Dbuild.root=$(CURDIR)/$(BUILD) -Drocksdb.version=$(BASE) \
  -Drevision=$(BASE)-hotrap.$(HOTRAP_RELEASE)

# build/10.4.2/release/java/ then has
#   rocksdb-hotrap-10.4.2-hotrap.1.jar  the add-on jar, with the native library
#   rocksdbjni-10.4.2-linux64.jar       RocksJava as one jar, without the add-on
#   librocksdbjni-linux64.so            the native library of both
.PHONY: java
java: java-build  ## builds the add-on jar for rocksdbjni in build/10.4.2/release/java, and tests it
	$(MAVEN) --file java --projects hotrap package

.PHONY: java-jars
java-jars: java-build
	$(MAVEN) --quiet --file java package -DskipTests

.PHONY: check-java check-java-short
check-java: java-upstream  ## runs all of RocksDB's own JUnit tests: on a stock build, with HotRAP off and forced on
	scripts/check_java.py --jobs=$(JOBS)
check-java-short: java-upstream  ## a few classes of them, with HotRAP off and forced on
	scripts/check_java.py --jobs=$(JOBS) --short

# A stock rocksdbjni, forced mode, and the program that runs the tests.
.PHONY: java-upstream
java-upstream: java-jars
	cmake --build $(BUILD)/release -j $(JOBS) --target hotrap_forced
	$(MAVEN) --quiet --file java/upstream dependency:copy@stock
	javac -d $(BUILD)/java/upstream-runner -cp "$(JAVA_TEST_LIBS)/*" \
	  java/upstream/src/SuiteRunner.java

.PHONY: java-build java-test-libs
java-build: java-deps java-test-libs release-configure
	cmake --build $(BUILD)/release -j $(JOBS) --target rocksdbjava
java-test-libs: rocksdb-tree
	@if [ ! -d $(BUILD)/rocksdb/java ]; then \
	  echo "The source of RocksDB $(BASE) that the package registry serves" \
	    "has no RocksJava. Use BASE=10.4.2; or delete $(BUILD)/rocksdb and" \
	    "set ROCKSDB_SOURCE=<a git clone of the tag v$(BASE)>." >&2; \
	  exit 1; \
	fi
	@if [ ! -d $(JAVA_TEST_LIBS) ]; then \
	  $(MAVEN) --file java/upstream --quiet dependency:copy; \
	  mv $(BUILD)/java/test-libs $(JAVA_TEST_LIBS); \
	fi

.PHONY: forced
forced: release  ## builds libhotrap_forced.so: preloaded, it forces HotRAP on in a program that uses the release library, for tests
	cmake --build $(BUILD)/release -j $(JOBS) --target hotrap_forced

# The suites of other people's programs. CLIENTS=c_test,grocksdb selects some.
CLIENTS ?=
CLIENT_FLAGS ?=
.PHONY: check-clients clients-deps stock-library
check-clients: clients-deps forced stock-library  ## runs the tests of Rust, Go, Python and C clients on the release library: plain, and HotRAP forced on (an hour; resumable)
	scripts/check_clients.py $(if $(CLIENTS),--only=$(CLIENTS)) $(CLIENT_FLAGS)
clients-deps:
	@scripts/install_deps.sh --clients
stock-library: deps-check stock-tree
	$(call configure,stock,$(RELEASE_FLAGS) -DHOTRAP_STOCK=ON,stock-rocksdb)
	cmake --build $(BUILD)/stock -j $(JOBS) --target rocksdb-shared

# Kafka itself comes from Maven's registry, and the broker runs in the test.
# KAFKA_TESTS: of java/kafka-streams, as Maven's -Dtest takes them.
KAFKA_TESTS ?= org/rocksdb/hotrap/kafka/*Test
KAFKA := $(MAVEN) --file java --projects kafka-streams --also-make package \
  -Dsurefire.failIfNoSpecifiedTests=false
.PHONY: check-kafka
check-kafka: java-build  ## runs Kafka Streams with HotRAP: a broker, two instances, one of them killed
	$(KAFKA) --activate-profiles kafka -Dtest='$(KAFKA_TESTS)'

.PHONY: check-java-micrometer
check-java-micrometer: java-deps  ## tests HotRAP's metrics for Micrometer (needs no native library)
	$(MAVEN) --file java --projects micrometer --activate-profiles micrometer package

.PHONY: bench-kafka
bench-kafka: demo-deps java-build  ## joins of Kafka Streams on a throttled disk, stock rocksdbjni and HotRAP (as root)
	$(KAFKA) --activate-profiles kafka,stock -Dtest=KafkaBench \
	  -Dslow.disk.sh=$(CURDIR)/tools/slow_disk.sh

.PHONY: lint
lint:  ## checks the style of our sources
	scripts/lint.py

.PHONY: format
format:  ## formats our sources as the lint requires
	git ls-files --cached --others --exclude-standard '*.cc' '*.h' | \
	  xargs clang-format -i --style=file

.PHONY: demo
demo: demo-deps release  ## reads the same data without and with HotRAP, in build/demo
	/usr/bin/python3 tools/demo.py --bench=$(BUILD)/release/hotrap_bench --out=$(BUILD)/demo

.PHONY: demo-db-bench
demo-db-bench: demo-deps release  ## the demo with RocksDB's db_bench (root)
	/usr/bin/python3 tools/db_bench_demo.py --bench=$(BUILD)/release/db_bench --out=$(BUILD)/demo_db_bench

# The tree's pin is copied last and marks the tree as complete. Files of another
# pin may be older than existing objects, so those are deleted, too.
STOCK_TREE := $(BUILD)/stock-rocksdb
STOCK_PIN := scripts/rocksdb-pin/$(BASE)/SHA256SUMS
.PHONY: stock-tree
stock-tree:
	@if ! cmp -s $(STOCK_PIN) $(STOCK_TREE)/hotrap-pin; then \
	  rm -rf $(STOCK_TREE) $(BUILD)/stock; \
	  scripts/fetch_rocksdb.sh $(BASE) $(STOCK_TREE); \
	  mkdir -p $(STOCK_TREE)/plugin; \
	  ln -sr . $(STOCK_TREE)/plugin/hotrap; \
	  cp $(STOCK_PIN) $(STOCK_TREE)/hotrap-pin; \
	fi

.PHONY: bench-stock
bench-stock: deps-check stock-tree  ## builds hotrap_bench on an unpatched RocksDB in build/stock
	$(call configure,stock,$(RELEASE_FLAGS) -DHOTRAP_STOCK=ON,stock-rocksdb)
	cmake --build $(BUILD)/stock -j $(JOBS) --target hotrap_bench

# Flags for tools/bench_all.py, such as --quick or --only='main/*'.
BENCH_FLAGS ?=
.PHONY: bench
bench: bench-deps release bench-stock  ## repeats the paper's evaluation (hours; resumable), report in build/bench/report.html
	/usr/bin/python3 tools/bench_all.py $(BENCH_FLAGS)

.PHONY: help
help:  ## lists the targets
	@sed -n 's/^\([a-z-]*\):.*##/\1:/p' $(MAKEFILE_LIST)
