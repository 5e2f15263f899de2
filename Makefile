# make demo and make test need no other command before them.
# One build serves the tests and the program, which has the Swift runtime inside it.

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
UDEV_RULES ?= /etc/udev/rules.d
MODPROBE ?= /etc/modprobe.d
SYSTEMD ?= /etc/systemd
SYSUSERS ?= /etc/sysusers.d

STRICT = --explicit-target-dependency-import-check error
# Generic types are made by calls, and not from their names in text: at the first use of such a name the
# runtime looks through all conformances of the program. That was a sixth of a tap's instructions.
RELEASE = $(SWIFT) build -c release $(STRICT) \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
TAPCARD = .build/release/tapcard
LINTED = Package.swift Examples Sources Tests Benchmarks Fuzz/Package.swift Fuzz/Sources
# How long each target is fuzzed, and which one: all of them where none is named. How long the
# simulation goes on, and from which seed: a new one where none is named. How many are killed.
SECONDS ?= 60
TARGET ?=
SEED ?=
COUNT ?= 200

.PHONY: all deps build-deps build demo servers stations soak-servers network test test-only sessions test-units test-servers test-programs test-schedules \
	test-database test-browser browser tap-address screens coverage prove mutants memcheck sanitize fuzz fuzz-build fuzz-check soak check library example bench peers lint format docs drawing weight clean \
	install uninstall install-service uninstall-service install-udev uninstall-udev \
	package-build deb tarball sbom reproducible deb-check arm64 arm64-check release

all: build

# Installs what is missing, with sudo where that is needed; otherwise does nothing.
deps:
	@packaging/install-dependencies tests
	@packaging/static-runtime
	@packaging/python-environment

# What is needed to build and use tapcard, without its tests.
build-deps:
	@packaging/install-dependencies
	@packaging/static-runtime

build: build-deps
	SWIFT=$(SWIFT) packaging/stamped $(RELEASE) --product tapcard

demo: build
	@docs/demo.sh $(TAPCARD)

# Two servers and four tills on one ledger in PostgreSQL, while a server, a till, and the database die:
# docs/SERVERS.md.
servers: deps build
	@docs/servers.sh $(TAPCARD)

# The earlier name of this target.
stations: servers

# The same tills sell while COUNT tills, servers, and databases are killed at random.
soak-servers: deps build
	@docs/servers.sh $(TAPCARD) $(COUNT) $(SEED)

# As root: the line to a till's machine fails before each packet of each request.
network: deps build
	@.build/python/bin/python Tests/Programs/network.py $(TAPCARD)

# So many tests at once. If all of them begin together, each waits for all of the others at every step,
# and those with a limit reach it on a machine that does something else as well. Swift 6.2 cannot do that.
WIDTH = $(shell $(SWIFT) test --help-hidden | grep -o -m 1 -e '--experimental-maximum-parallelization-width' | sed 's/$$/ 8/')

# Three runs of the tests, because those of servers and clients open so many files that libnfc would not
# work beside them, and the end-to-end tests hold up what shares their threads. Two parts run at a time:
# each waits for the programs that it starts. The longest come first.
NETWORK = WebServerTests|CustomerServerTests|RemoteServicesTests|ServiceSandboxTests|TillServerTests
PARTS = $(if $(TAPCARD_TESTS),test-schedules) test-units test-programs test-browser \
	$(if $(TAPCARD_TESTS),,test-schedules) test-database test-servers
TESTS = env -u MAKEFLAGS $(SWIFT) test -c release --ignore-lock --skip-build --disable-xctest --quiet $(WIDTH)
# A person runs this after a change. With TAPCARD_TESTS=check, as "make check" runs it, more places are
# tried: see Tests/Helpers/TestSupport.
test: deps
	$(RELEASE) --build-tests
	@$(MAKE) --no-print-directory -j 2 --output-sync=target $(PARTS)

# The suites whose names contain these words.
test-only:
	$(RELEASE) --build-tests
	@$(TESTS) --filter "$(TEST)"

# Records the sessions of fixtures/contract and the findings of docs/DOCTOR.md again.
sessions:
	$(RELEASE) --build-tests
	@CONTRACT=write DOCTOR=write $(TESTS) --filter "ContractTests|DoctorTests"

# The parts of make test, which has built what they run.
test-units:
	@packaging/timed $(TESTS) --skip "EndToEndTests|$(NETWORK)"

test-servers:
	@packaging/timed $(TESTS) --filter "$(NETWORK)"

test-programs:
	@packaging/timed $(TESTS) --filter EndToEndTests

test-schedules:
	@packaging/timed .build/release/FaultEnumerator $(if $(TAPCARD_TESTS),check,test)

test-database:
	@packaging/timed .build/release/FaultEnumerator database \
		$(if $(TAPCARD_TESTS),--one-of 40,--one-of 60 --requests pay --turns 1)

test-browser:
	@TAPCARD=$(TAPCARD) packaging/timed $(BROWSER) $(if $(TAPCARD_TESTS),,-k MoneyTests -k TornTests)

# The till page in a real browser, against the program that is there; screens keeps how it looks.
BROWSER = .build/python/bin/python Tests/BrowserTests
browser: deps build tap-address
	TAPCARD=$(TAPCARD) $(BROWSER)

# Makes addresses as a card does, for the tests of the customer page.
tap-address:
	$(RELEASE) --product TapAddress

screens: deps build tap-address
	SCREENS=write TAPCARD=$(TAPCARD) $(BROWSER) -k Screens

# What stands between a till and its database: each byte, each message, each call.
DATABASE = CutLinkTests|KilledServerTests|KilledStationTests|FailoverTests|ManyRequestsTests|RaceTests
# Every schedule of more faults, and every rule left out: see docs/TESTING.md. It may be stopped at any
# time, and goes on behind the runs that it has done.
prove: deps mutants
	$(RELEASE) --product FaultEnumerator
	packaging/prove .build/release/FaultEnumerator .build/prove
	.build/release/FaultEnumerator database --one-of 2
	$(RELEASE) --build-tests
	.build/release/Soak --seconds 600 --stations 8
	TAPCARD_TESTS=prove $(SWIFT) test -c release --skip-build --disable-xctest --quiet $(WIDTH) \
		--filter "KilledProgramTests|KilledWatchTests|FullDiskTests|ServedAPITests|$(DATABASE)"

# A build of its own, in which rules can be left out: each must be missed.
mutants: deps
	$(SWIFT) build -c release --product FaultEnumerator --scratch-path .build/mutants -Xswiftc -DLEAVE_RULES_OUT
	.build/mutants/release/FaultEnumerator mutants
	$(SWIFT) build -c release --product Soak --scratch-path .build/mutants -Xswiftc -DLEAVE_RULES_OUT
	for rule in 51 52 53 54 55 56; do \
		.build/mutants/release/Soak --seconds 300 --seed 28 --without-rule $$rule; \
		test $$? = 1 || exit 1; \
	done

# The reader's driver under a memory checker; make test has built what it runs.
memcheck: deps
	$(RELEASE) --product ReaderMemcheck
	packaging/memcheck .build/release/ReaderMemcheck

# Every test under the thread sanitizer and under the address sanitizer, the program that they start
# included. Each has a build of its own; docs/TESTING.md says what is tried more thinly then.
sanitize: deps
	@packaging/timed $(MAKE) --no-print-directory sanitize-thread
	@packaging/timed $(MAKE) --no-print-directory sanitize-address

sanitize-%: SANITIZED = -c release --sanitize=$* --scratch-path .build/$*
sanitize-%: export TAPCARD_SANITIZED = $*
sanitize-%: export TAPCARD_TESTS = check
# Tests look at how the program itself answers these signals.
sanitize-%: export TSAN_OPTIONS = handle_segv=0:handle_sigbus=0
sanitize-%: export ASAN_OPTIONS = detect_leaks=0:handle_segv=0:handle_sigbus=0
sanitize-%: deps
	$(SWIFT) build --build-tests $(SANITIZED) $(STRICT)
	$(SWIFT) test $(SANITIZED) --skip-build --disable-xctest --quiet $(WIDTH) --skip "EndToEndTests|$(NETWORK)"
	$(SWIFT) test $(SANITIZED) --skip-build --disable-xctest --quiet $(WIDTH) --filter "$(NETWORK)"
	$(SWIFT) test $(SANITIZED) --skip-build --disable-xctest --quiet $(WIDTH) --filter EndToEndTests
	.build/$*/release/FaultEnumerator --chips NTAG213 --faults 1 --classes few

# Which lines of Sources the tests run, those included that only the programs run which they start. A
# build of its own; what a killed process had run by then is not counted. C code is built with the name
# of the files, because tests start programs without most variables.
COVERED = -c release --scratch-path .build/coverage -Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping
coverage: export TAPCARD_TESTS = check
coverage: export LLVM_PROFILE_FILE = $(CURDIR)/.build/coverage/profiles/%8m.profraw
coverage: deps
	rm -rf .build/coverage/profiles
	$(SWIFT) build --build-tests $(COVERED) -Xcc -fcoverage-mapping \
		-Xcc -fprofile-instr-generate=$(LLVM_PROFILE_FILE) $(STRICT)
	-$(SWIFT) test $(COVERED) --skip-build --disable-xctest --quiet $(WIDTH) --skip "EndToEndTests|$(NETWORK)"
	-$(SWIFT) test $(COVERED) --skip-build --disable-xctest --quiet $(WIDTH) --filter "$(NETWORK)"
	-$(SWIFT) test $(COVERED) --skip-build --disable-xctest --quiet $(WIDTH) --filter EndToEndTests
	-TAPCARD=.build/coverage/release/tapcard $(BROWSER)
	# A test's helper without any C in it writes to where it is started.
	rm -f default.profraw
	packaging/coverage .build/coverage

# Looks for inputs that break something: see docs/TESTING.md.
FUZZ_BUILD = --scratch-path .build/fuzz/build
fuzz: fuzz-build
	@Fuzz/run $(SECONDS) $(TARGET)

# Without the cache, as SwiftPM does not notice new files of a package beside the one it builds.
fuzz-build: deps
	$(SWIFT) build -c release $(FUZZ_BUILD) --package-path Fuzz \
		-Xswiftc -sanitize=fuzzer -Xswiftc -use-ld=lld --disable-build-manifest-caching || { \
		echo "The fuzzer needs lld and libclang_rt.fuzzer; the toolchains of swift.org have both." >&2; exit 1; }

# The sources of the fuzzer that no test compiles. What they call, CorpusTests runs with each corpus.
fuzz-check:
	$(SWIFT)c -typecheck -swift-version 6 -strict-memory-safety -warnings-as-errors \
		-I .build/release/Modules $(addprefix -I,$(wildcard Sources/Libraries/*/)) \
		-I Fuzz/Sources/CFuzzer Fuzz/Sources/TapcardFuzz/*.swift

# The long simulation: see docs/TESTING.md.
soak: build-deps
	$(RELEASE) --product Soak
	.build/release/Soak --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# Cheapest first, each with its time.
check: deps
	@packaging/timed $(MAKE) --no-print-directory lint
	@packaging/timed $(MAKE) --no-print-directory test TAPCARD_TESTS=check
	@$(MAKE) --no-print-directory -j 2 --output-sync=target $(addprefix timed-,$(PROOFS))

# The servers mostly wait, so something else runs beside them.
PROOFS = mutants servers memcheck fuzz-check library example
timed-%: deps
	@packaging/timed env -u MAKEFLAGS $(MAKE) --no-print-directory $*

# The library products, as their users see them: a comment on every public symbol, tutorials that
# compile, pages without a warning, and no break since the last tag that is not announced.
library: build-deps
	SWIFT=$(SWIFT) packaging/library pages
	SWIFT=$(SWIFT) packaging/library api

# The programs of docs/LIBRARY.md, as somebody builds them who has only their manifests.
example: example-Till example-PulledCard example-Spool

example-%: build-deps
	$(SWIFT) build --package-path Examples/$* --scratch-path .build/example
	.build/example/debug/$* | diff Examples/$*/output.txt -

# The figures of the design: in one process, and of whole programs side by side.
bench: deps build
	@packaging/install-dependencies bench
	$(RELEASE) --product TapcardBenchmarks
	.build/release/TapcardBenchmarks
	$(RELEASE) --product StationBenchmarks
	.build/release/StationBenchmarks
	@$(MAKE) --no-print-directory peers
	.build/python/bin/python Benchmarks/processes.py $(TAPCARD)
	.build/python/bin/python Benchmarks/watching.py $(TAPCARD)
	.build/python/bin/python Benchmarks/till.py $(TAPCARD)
	.build/python/bin/python Benchmarks/remote.py $(TAPCARD)
	.build/python/bin/python Benchmarks/growth.py $(TAPCARD)
	.build/python/bin/python Benchmarks/stations.py $(TAPCARD) .build/release/StationBenchmarks
	$(RELEASE) --product ManyAgents
	.build/python/bin/python Benchmarks/tills.py $(TAPCARD)

# tapcard next to other programs: docs/PEERS.md.
peers: deps build
	@packaging/install-dependencies bench
	$(RELEASE) --product PagesWithTapcard
	.build/python/bin/python Benchmarks/peers.py $(TAPCARD) .build/release/PagesWithTapcard

lint:
	$(SWIFT) format lint --strict --recursive $(LINTED)
	@packaging/drawing --check
	@packaging/weight --check

# The drawing of the targets in docs/ARCHITECTURE.md, made from Package.swift.
drawing:
	@packaging/drawing

# What each part of tapcard weighs in code and words, and what it is entangled with.
weight:
	@packaging/weight

format:
	$(SWIFT) format --in-place --recursive $(LINTED)

# The pages of the commands, the schemas and the API's description are made from the tables that parse
# and answer; the pages of the libraries, from the comments on public symbols and docs/Library.docc.
docs: build
	$(TAPCARD) help --markdown > docs/COMMANDS.md
	$(TAPCARD) help --settings > docs/SETTINGS.md
	$(TAPCARD) schema > docs/schemas.json
	packaging/openapi $(TAPCARD) > docs/openapi.json
	SWIFT=$(SWIFT) packaging/library pages

clean:
	rm -rf .build

# As root, who may have no Swift: what "make build" or "make demo" has built. packaging/installed-files
# lists what goes where; the folders are in packaging/install.sh, which also serves the packages.
INSTALL = UDEV_RULES="$(UDEV_RULES)" MODPROBE="$(MODPROBE)" SYSTEMD="$(SYSTEMD)" SYSUSERS="$(SYSUSERS)" \
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" packaging/install-from-here
install:
	@$(INSTALL) $(TAPCARD) program

# The till page as a service of the machine, for a user of its own, not started yet.
install-service:
	@$(INSTALL) $(TAPCARD) program service

# Gives the readers to whoever is logged in, and keeps the kernel's drivers off them.
install-udev:
	@$(INSTALL) "" udev

uninstall:
	@$(INSTALL) "" --uninstall program

uninstall-service:
	@$(INSTALL) "" --uninstall service

uninstall-udev:
	@$(INSTALL) "" --uninstall udev

# Packages have a build of their own, whose bytes do not depend on the folder: packaging/package-build.
DIST = .build/dist
PACKAGED = .build/package/release/tapcard
package-build: build-deps
	@packaging/install-dependencies packages
	SWIFT=$(SWIFT) packaging/package-build

# tapcard and tapcard-dbgsym, the symbols for its debugger, clean under lintian.
deb: package-build
	packaging/build-deb $(PACKAGED) $(DIST)

# For distributions without packages of their own, with install.sh in it.
tarball: package-build
	packaging/build-tarball $(PACKAGED) $(DIST)

# What is inside, and what it loads: SPDX 2.3.
sbom: package-build
	packaging/build-sbom $(PACKAGED) $(DIST)

# Builds the commit twice, in two folders, and compares all that comes out, byte by byte.
reproducible: build-deps
	@packaging/install-dependencies packages
	packaging/reproducible

# As root, or with sudo: installs, upgrades and removes the package in a fresh Debian 12, and tries the
# tarball in other systems.
deb-check: deb tarball
	@packaging/install-dependencies systems
	packaging/check-packages $(DIST)

# For a Raspberry Pi, on another machine: packages in .build/arm64/dist. As root, or with sudo. On a Pi
# "make deb" does it. docs/INSTALL.md has the times.
ARM64 = .build/arm64/dist
arm64:
	@packaging/install-dependencies arm64
	packaging/arm64 $(ARM64)

# Installs, uses and removes those packages in fresh systems, and tries the ledger and its faults: qemu
# runs it all.
arm64-check: arm64
	packaging/arm64 $(ARM64) check
	ARCH=arm64 SYSTEMS="$(or $(SYSTEMS),bookworm trixie)" packaging/check-packages $(ARM64)

# As root, or with sudo, on a clean tree: VERSION=1.0.0. Gives the last commit that number, tries
# everything (about 2 hours on two cores) and leaves a commit that can be tagged.
release:
	MAKE="$(MAKE)" packaging/release $(VERSION)
