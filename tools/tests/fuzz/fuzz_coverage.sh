#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Which lines of each parser's own sources its corpus reaches (tools/tests/corpus, and build/fuzz where
# a run left more). The programs are built for that by `make fuzz-coverage`.
set -u

. tools/tests/support/lib.sh

. "$(dirname "$0")/fuzz_corpus.sh"

# The sources that a fuzzer is for; a parser without a line here is listed by name only.
sources() {
    case $1 in
    events) echo kernel/pmu/event.c ;;
    export) echo tools/export/trace_export.c tools/export/ctf_writer.c tools/show/live.c ;;
    fleet) echo tools/store/fleet.c tools/store/store_sqlite.c ;;
    frame) echo kernel/link/frame.c kernel/link/record.c kernel/link/encoding.c ;;
    image) echo tools/qemu/image_benches.c ;;
    input) echo kernel/input/scancode.c kernel/input/mouse_packet.c ;;
    interactive) echo bench/interactive/host/measure/interactive_read.c bench/interactive/host/measure/think_wait.c bench/interactive/host/measure/latency.c \
        bench/interactive/host/measure/actions.c ;;
    limits) echo tools/judge/limits.c ;;
    log) echo tools/wire/decoder.c tools/wire/held_frames.c tools/wire/assembly.c tools/wire/batch_assembly.c tools/wire/trace_assembly.c ;;
    machine) echo kernel/dev/smbios.c kernel/cpu/cpuid.c kernel/cpu/topology.c kernel/cpu/cache.c ;;
    acpi) echo kernel/dev/acpi.c ;;
    disk) echo kernel/block/ata.c ;;
    folder) echo boot/image_folder.c ;;
    map) echo boot/memory_map.c kernel/plan/ranges.c ;;
    field) echo tools/tests/field/dump_text.c tools/tests/field/dmi_text.c tools/tests/field/conclude.c ;;
    model) echo tools/sim/model/model_reader.c tools/sim/model/model_named.c \
        tools/sim/model/model_paper.c tools/sim/model/model_parts.c tools/sim/model/model_laws.c ;;
    names) echo bench/counters/host/event_names.c ;;
    network) echo kernel/net/port.c kernel/net/services.c kernel/net/stack.c ;;
    options) echo bench/interactive/host/measure/thresholds.c ;;
    page) echo tools/show/run_page.c tools/figure/page.c tools/figure/page_figure.c tools/figure/figure.c tools/figure/svg.c \
        tools/judge/compare.c tools/judge/compare_page.c ;;
    plan) echo kernel/plan/plan.c kernel/plan/number.c ;;
    program) echo kernel/plan/program.c kernel/plan/draw.c ;;
    qmp) echo tools/qemu/qmp.c ;;
    request) echo kernel/link/request.c kernel/plan/port.c ;;
    runfile) echo tools/store/runfile.c ;;
    series_codec) echo kernel/link/series_codec.c kernel/link/range_coder.c ;;
    text_codec) echo kernel/link/text_codec.c kernel/link/range_coder.c ;;
    trace_codec) echo kernel/link/trace_codec.c kernel/link/range_coder.c ;;
    script) echo kernel/input/script.c kernel/input/typist.c ;;
    session) echo tools/wire/session.c tools/wire/decoder.c ;;
    show) echo tools/show/run_json.c tools/export/export_numbers.c tools/present/metrics_of.c tools/store/runfile.c ;;
    trace) echo tools/trace/trace_reader.c tools/trace/accounting.c tools/trace/accounting_events.c \
        tools/trace/delays.c ;;
    views) echo bench/noise/host/view_idle.c bench/noise/host/view_gap.c bench/counters/host/view_counters.c ;;
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
        >"$work/$name.printed" 2>&1 || fail "$name" "$(tail -n 3 "$work/$name.printed")"
    llvm-profdata merge -sparse "$work/$name.raw" -o "$work/$name.data"
    echo "$name:"
    for source in $(sources "$name"); do
        llvm-cov report "$program" -instr-profile="$work/$name.data" "$source" |
            awk -v source="$source" '$1 == "TOTAL" {
                printf "  %-36s %5d of %5d lines, %s\n", source, $8 - $9, $8, $10 }'
    done
done
finish
