# SPDX-License-Identifier: MIT
# laketop. "make help" says what there is; the README says why.

VERSION := 0.1.0
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share/laketop
DESTDIR ?=
FLAVOUR ?= release

# ---- libraries: one line that names the package where one is missing ----
PACKAGES := ncursesw:libncurses-dev libcurl:libcurl4-openssl-dev libcjson:libcjson-dev rdkafka:librdkafka-dev libpq:libpq-dev inih:libinih-dev \
	zlib:zlib1g-dev libpcre2-8:libpcre2-dev libzstd:libzstd-dev snappy:libsnappy-dev
missing  := $(strip $(foreach p,$(PACKAGES),$(shell pkg-config --exists $(firstword $(subst :, ,$(p))) 2>/dev/null || echo $(lastword $(subst :, ,$(p))))))
needs_libraries := $(filter-out clean help demo demo-stop install-tools uninstall format test test-full lab-%,$(or $(MAKECMDGOALS),laketop))
ifneq ($(needs_libraries),)
ifneq ($(missing),)
$(error missing libraries: apt-get install $(missing))
endif
endif
LIBRARIES := $(foreach p,$(PACKAGES),$(firstword $(subst :, ,$(p))))

# ---- flags ----
CC ?= gcc
IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null | head -1))
# everything is built in its own folder per flavour
O := build/$(FLAVOUR)$(if $(IS_CLANG),-clang)
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wcast-qual -Wpointer-arith -Wwrite-strings \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wundef -Wformat=2 -Wnull-dereference \
	-Wdouble-promotion -Wfloat-equal -Wimplicit-fallthrough -Wswitch-enum -Wvla -Walloca -Wdate-time
HARD := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection -fPIE -fno-common -fno-strict-overflow
ifeq ($(shell uname -m),x86_64)
HARD += -fcf-protection
endif
ifeq ($(IS_CLANG),)
WARN += -Wcast-align=strict -Wformat-signedness -Wlogical-op -Wduplicated-cond -Wduplicated-branches -Wstack-usage=32768 -Wjump-misses-init
HARD += -ftrivial-auto-var-init=zero
endif
ifdef WERROR
WARN += -Werror
endif
# _GNU_SOURCE comes first: the flags of ncursesw ask for an older standard
ALL_CPPFLAGS := -D_GNU_SOURCE -DLAKETOP_VERSION='"$(VERSION)"' -DLAKETOP_DATADIR='"$(DATADIR)"' -Iinclude -I$(O) $(CPPFLAGS)
ALL_CFLAGS   := -std=c11 -g $(WARN) $(shell pkg-config --cflags $(LIBRARIES) 2>/dev/null) -ffile-prefix-map=$(CURDIR)=.
# GnuTLS asks the program by that symbol, see backend/net/transfer.c; snappy is loaded when it is needed, see backend/format/avro.c
ALL_LDFLAGS  := -pthread -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack -Wl,--as-needed -Wl,--export-dynamic-symbol=_gnutls_global_init_skip
ALL_LIBS     := $(shell pkg-config --libs $(LIBRARIES) 2>/dev/null) -lm
ifeq ($(FLAVOUR),release)
ALL_CFLAGS += -O2 $(HARD)
else ifeq ($(FLAVOUR),asan)
ALL_CFLAGS  += -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined -fPIE
ALL_LDFLAGS += -fsanitize=address,undefined
else ifeq ($(FLAVOUR),tsan)
ALL_CFLAGS  += -O1 -fno-omit-frame-pointer -fsanitize=thread -fPIE
ALL_LDFLAGS += -fsanitize=thread
else
$(error FLAVOUR is release, asan or tsan, not "$(FLAVOUR)")
endif
ALL_CFLAGS  += $(CFLAGS)
ALL_LDFLAGS += $(LDFLAGS)

# ---- what is built ----
SOURCES := $(filter-out tui/main.c,$(sort $(wildcard backend/*/*.c panels/*.c tui/*.c)))
OBJECTS := $(SOURCES:%.c=$(O)/%.o)
LIBRARY := $(O)/liblaketop.a
FIXTURES := $(filter-out tests/unit/test_%.c,$(wildcard tests/unit/*.c))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(O)/%,$(wildcard tests/unit/test_*.c))
TOOLS := $(patsubst tests/tools/%.c,$(O)/%,$(wildcard tests/tools/*.c))
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' "$(1)" "$(2)")

.DEFAULT_GOAL := laketop
.DELETE_ON_ERROR:

laketop: $(O)/laketop ## build the program: ./laketop (the default)
	$(Q)cp -f $< $@

$(O)/laketop: $(O)/tui/main.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(LIBRARY): $(OBJECTS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(O)/%.o: %.c Makefile
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/test_%: $(O)/tests/unit/test_%.o $(FIXTURES:%.c=$(O)/%.o) $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(ALL_LIBS)

$(O)/%: $(O)/tests/tools/%.o $(LIBRARY)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

# themes are compiled in: the program needs no file to run
$(O)/themes.h: themes/embed $(sort $(wildcard themes/*.theme))
	$(Q)mkdir -p $(@D)
	$(Q)sh $^ > $@

$(O)/tui/theme.o: $(O)/themes.h

.PRECIOUS: $(O)/%.o
-include $(OBJECTS:.o=.d) $(O)/tui/main.d $(wildcard $(O)/tests/*/*.d)

# ---- run ----
.PHONY: run demo demo-stop
run: laketop ## build and run it on this machine
	./laketop

demo: ## a small real lakehouse on this machine with laketop on it (LAB=light leaves Spark out)
	$(Q)tests/demo $(or $(LAB),pocket)

demo-stop: ## end that lakehouse; nothing stays running
	$(Q)tests/lab/lab down

# ---- test ----
.PHONY: test test-unit test-full unit-binaries tools asan tsan bench screenshots lint format
test: python3 ## install what tests need, then unit, screen and integration tests
	$(Q)tests/run

test-full: python3 ## the long run: also integration under sanitizers, ten minutes of watching
	$(Q)tests/run --full

test-unit: unit-binaries ## unit and screen tests only
	$(Q)tests/run --only unit

.PHONY: python3
python3: # the runner itself is written in it
	$(Q)command -v python3 >/dev/null || { [ "$$(id -u)" = 0 ] || { echo "tests need python3: sudo apt-get install python3" >&2; exit 2; }; \
		apt-get update -qq && apt-get install -y --no-install-recommends python3 >/dev/null; }

unit-binaries: $(UNIT_TESTS)
tools: $(TOOLS)

asan: ## ./laketop and unit tests under AddressSanitizer and UBSan in build/asan
	$(Q)$(MAKE) --no-print-directory FLAVOUR=asan build/asan/laketop unit-binaries

tsan: ## the same under ThreadSanitizer in build/tsan
	$(Q)$(MAKE) --no-print-directory FLAVOUR=tsan build/tsan/laketop unit-binaries

bench: laketop ## measure against htop and btop, side by side
	$(Q)tests/bench

screenshots: laketop ## make the pictures anew, from a run on the lab
	$(Q)screenshots/make

lint: ## the rules of the house, shellcheck, cppcheck
	$(Q)tests/lint

format: ## clang-format the sources in place
	clang-format -i $(SOURCES) tui/main.c $(wildcard include/*.h tests/unit/*.[ch] tests/tools/*.c backend/*/*.h panels/*.h tui/*.h)

# ---- install ----
.PHONY: install uninstall clean help
install: laketop ## PREFIX (default /usr/local) and DESTDIR are honoured
	install -D -m 755 laketop $(DESTDIR)$(BINDIR)/laketop
	install -d $(DESTDIR)$(DATADIR)/themes
	install -m 644 $(wildcard themes/*.theme) $(DESTDIR)$(DATADIR)/themes

uninstall: ## takes back what install put there
	rm -f $(DESTDIR)$(BINDIR)/laketop
	rm -rf $(DESTDIR)$(DATADIR)

clean: ## remove everything that was built
	rm -rf build laketop

help: ## this text
	$(Q)awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile
