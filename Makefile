# SPDX-License-Identifier: GPL-2.0-only
#
# A thin front: each target is a script of its own with --help.

BASE  ?= 6.12
BUILD ?= $(CURDIR)/build
export BASE BUILD
# What the caller sets on the command line; make itself knows a CC.
export JOBS QEMU LOOPS FLAGS CPUS TOPOLOGY ROUNDS ARMS SEED GATE
ifneq ($(origin CC),default)
export CC
endif

.DEFAULT_GOAL := help
.PHONY: help deps tree refresh apply unapply export kernel module run lint \
	test test-all torture lab lab-list lab-all lab-selftest report clean

help:
	@echo 'rtmig: lower real-time wake-up and migration latency of PREEMPT_RT kernels'
	@echo
	@echo 'The main job:'
	@echo '  run         everything: packages, tree, kernel, module, guest; then a table'
	@echo '              of latencies with the features off and on, run.json and plots'
	@echo '  test        the tests, TAP under prove; builds two kernels when cold'
	@echo '  test-all    and those that build more kernels'
	@echo '  torture     cpupri as a program for hours, its large models; SEED=n'
	@echo
	@echo 'Its steps:'
	@echo '  deps        install missing Debian packages (as root or with sudo)'
	@echo '  tree        kernel sources with one commit per patch, $$BUILD/$$BASE/linux'
	@echo '  kernel      configure and build the kernel of the guest'
	@echo '  module      build rtmig.ko and rtmig_test.ko; KDIR=dir for any kernel'
	@echo
	@echo 'The laboratory:'
	@echo '  lab         SCENARIO=name: measure it in rounds, off against on, and judge'
	@echo '  lab-list    the scenarios'
	@echo '  lab-all     all of them, one after the other'
	@echo '  lab-selftest  is the laboratory deterministic, does it find a known delay?'
	@echo '  report      one HTML page of all results, $$BUILD/results/$$BASE/index.html'
	@echo '              (scripts/bench measures a scenario on a real machine)'
	@echo
	@echo 'Your own kernel tree:'
	@echo '  apply       TREE=dir: apply the series there, all of it or nothing'
	@echo '  unapply     TREE=dir: take it out again'
	@echo
	@echo 'Working on patches:'
	@echo '  refresh     write the commits of the tree back to patches/$$BASE'
	@echo '  export      numbered mails, a quilt queue and one squashed patch; DIR=dir'
	@echo '  lint        checkpatch, sparse, shellcheck, python'
	@echo '  clean       remove $$BUILD, all of it'
	@echo
	@echo 'Variables (values now):'
	@echo '  BASE=$(BASE)        kernel series: a folder of patches/'
	@echo '  BUILD=dir        where everything generated goes: $(BUILD)'
	@echo '  JOBS=n           parallel jobs of a build; default: number of CPUs'
	@echo '  CC=gcc           compiler; default: gcc, through ccache where installed'
	@echo '  QEMU=path        qemu-system-x86_64, 8.1 or newer; default: the machine'"'"'s own,'
	@echo '                   or the one of Debian'"'"'s backports, unpacked into $$BUILD'
	@echo '  LOOPS=n          run: cyclictest loops a thread and phase; default 250'
	@echo '  FLAGS="A B"      run: the features to compare; default: all of the series'
	@echo '  CPUS=n           lab: 8, 12, 16 or 32; TOPOLOGY=, ROUNDS=5, ARMS="off on",'
	@echo '                   SEED=1, GATE=1: see scripts/lab --help'
	@echo '  TREE=dir         apply, unapply: the kernel tree'
	@echo '  DIR=dir          export: where to; default $$BUILD/$$BASE/export'
	@echo '  KDIR=dir         module: a built kernel or its headers'
	@echo
	@echo 'Each target is a script in scripts/ that explains itself with --help.'

deps tree refresh kernel run lint:
	@scripts/$@

export:
	@scripts/export $(if $(DIR),'$(DIR)')

module:
	@scripts/module $(if $(KDIR),-k '$(KDIR)' -o '$(BUILD)/module-for-kdir')

apply unapply:
	@$(if $(TREE),,echo 'rtmig: say which kernel tree: make $@ TREE=dir' >&2; exit 2)
	@scripts/$@ '$(TREE)'

lab:
	@$(if $(SCENARIO),,echo 'rtmig: say which: make lab SCENARIO=name; make lab-list shows them' >&2; exit 2)
	@scripts/lab '$(SCENARIO)'

lab-list:
	@scripts/lab -l

lab-all:
	@scripts/lab -A

lab-selftest:
	@scripts/test tests/85-lab-selftest.t

report:
	@scripts/html

test:
	@scripts/test

test-all:
	@scripts/test -a

torture:
	@RTMIG_TORTURE=1 scripts/test tests/45-models.t tests/46-cpupri.t

clean:
	rm -rf '$(BUILD)'
