#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Which lines of each parser's own sources its corpus reaches (tools/tests/corpus, and build/fuzz where
# a run left more). The programs are built for that by `make fuzz-coverage`.
set -u

. "$(dirname "$0")/lib.sh"

. "$(dirname "$0")/fuzz_corpus.sh"

# The sources that a fuzzer is for; a parser without a line here is told of by its name alone.
sources() {
    case $1 in
    convolve) echo tools/sim/convolution_text.c tools/sim/convolution.c ;;
    elf) echo tools/mkefi_elf.c ;;
    events) echo kernel/pmu/event.c ;;
    export) echo tools/lib/trace_export.c tools/lib/trace_text.c tools/lib/ctf_writer.c tools/lib/live.c ;;
    fleet) echo tools/lib/fleet.c tools/lib/store_sqlite.c ;;
    frame) echo kernel/link/frame.c kernel/link/record.c kernel/link/residual.c kernel/link/base64.c ;;
    input) echo kernel/input/scancode.c kernel/input/mouse_packet.c ;;
    interactive) echo tools/lib/interactive.c tools/lib/think_wait.c tools/lib/latency.c ;;
    limits) echo tools/lib/limits.c ;;
    log) echo tools/lib/decoder.c tools/lib/assembly.c tools/lib/trace_assembly.c tools/lib/samples.c ;;
    machine) echo kernel/dev/smbios.c kernel/cpu/cpuid.c kernel/cpu/topology.c kernel/cpu/cache.c ;;
    acpi) echo kernel/dev/acpi.c ;;
    map) echo boot/memory_map.c kernel/base/ranges.c ;;
    model) echo tools/sim/model_read.c tools/sim/model_reader.c tools/sim/model_named.c \
        tools/sim/model_paper.c tools/sim/model_parts.c tools/sim/model_laws.c ;;
    names) echo tools/lib/event_names.c ;;
    options) echo tools/lib/thresholds.c tools/sim/sweep.c ;;
    page) echo tools/lib/run_page.c tools/lib/page.c tools/lib/page_figure.c tools/lib/figure.c tools/lib/svg.c \
        tools/lib/compare.c tools/lib/compare_page.c ;;
    plan) echo kernel/plan/plan.c kernel/plan/number.c ;;
    program) echo kernel/model/program.c kernel/model/draw.c ;;
    qmp) echo tools/lib/qmp.c ;;
    request) echo kernel/link/request.c kernel/plan/port.c ;;
    runfile) echo tools/lib/runfile.c ;;
    script) echo kernel/input/script.c kernel/input/typist.c ;;
    session) echo tools/lib/session.c tools/lib/decoder.c ;;
    show) echo tools/lib/run_json.c tools/lib/openmetrics.c tools/lib/metrics.c tools/lib/runfile.c ;;
    sweep) echo tools/lib/sweep_rows.c ;;
    trace) echo tools/lib/trace_reader.c tools/lib/accounting.c tools/lib/accounting_events.c \
        tools/lib/delays.c ;;
    unpack) echo boot/unpack.c boot/lzma.c ;;
    views) echo tools/lib/view_idle.c tools/lib/view_gap.c tools/lib/view_counters.c ;;
    esac
}

for program in build/host/coverage/fuzz_*; do
    name=$(basename "$program")
    name=${name#fuzz_}
    mkdir -p "$work/$name"
    copy_corpus "$name" "$work/$name" || {
        fail "$name" 'its corpus cannot be unpacked'
        continue
    }
    [ ! -d "build/fuzz/$name" ] || cp "build/fuzz/$name"/* "$work/$name"
    LLVM_PROFILE_FILE="$work/$name.raw" "$program" -runs=0 -max_len=10000 "$work/$name" \
        >"$work/$name.said" 2>&1 || fail "$name" "$(tail -n 3 "$work/$name.said")"
    llvm-profdata merge -sparse "$work/$name.raw" -o "$work/$name.data"
    echo "$name:"
    for source in $(sources "$name"); do
        llvm-cov report "$program" -instr-profile="$work/$name.data" "$source" |
            awk -v source="$source" '$1 == "TOTAL" {
                printf "  %-36s %5d of %5d lines, %s\n", source, $8 - $9, $8, $10 }'
    done
done
finish
