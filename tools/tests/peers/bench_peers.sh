# SPDX-License-Identifier: BSD-2-Clause
#
# Tracing, in pairs with others that do the same on the same machine: the recorder with LTTng-UST,
# the decoder with babeltrace2. Sourced by bench.sh. A failure of a peer is printed: a row without
# a number is no result.
#
# shellcheck shell=sh

bench_bin=${BENCH_BIN:-build/host/bench}
sessiond=

# As a user who is not root: LTTng of another's account on this machine is left alone. Keeps to the
# processor $1.
as_user() {
    as_user_processor=$1
    shift
    if [ "$(id -u)" -eq 0 ]; then
        set -- setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    fi
    HOME=$lttng_home LTTNG_HOME=$lttng_home LTTNG_UST_REGISTER_TIMEOUT=-1 \
        taskset -c "$as_user_processor" "$@"
}

# lttng_begin: a daemon and a session of our own that records the event. False, with the reason in
# $work/lttng, where there is none.
lttng_begin() {
    lttng_home=$work/lttng-home
    mkdir -p "$lttng_home"
    if [ "$(id -u)" -eq 0 ]; then
        chmod a+rx "$work"
        chown 65534:65534 "$lttng_home"
        # The checkout may be where the other user cannot read.
        cp "$bench_bin/lttng" "$lttng_home/program"
    fi
    {
        as_user 0 lttng-sessiond --daemonize --no-kernel &&
            sessiond=$(cat "$lttng_home/.lttng/lttng-sessiond.pid") &&
            as_user 0 lttng create tare --output="$lttng_home/trace" &&
            as_user 0 lttng enable-channel --userspace --subbuf-size=8M --num-subbuf=8 --discard c &&
            as_user 0 lttng enable-event --userspace --channel=c tare:thread_switch &&
            as_user 0 lttng start
    } >"$work/lttng" 2>&1
}

# Sets discarded to the number of discarded events, and ends what lttng_begin began.
lttng_end() {
    {
        as_user 0 lttng stop
        as_user 0 lttng list tare
    } >"$work/lttng" 2>&1
    discarded=$(sed -n 's/^ *Discarded events: //p' "$work/lttng")
    as_user 0 lttng destroy tare >"$work/lttng" 2>&1
}

stop_sessiond() {
    [ -n "$sessiond" ] || return 0
    kill "$sessiond" 2>/dev/null
    wait_for 10 sessiond_is_gone || echo "lttng-sessiond, process $sessiond, does not end" >&2
    sessiond=
}

sessiond_is_gone() {
    ! kill -0 "$sessiond" 2>/dev/null
}

ratio() {
    awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.3f", a / b; else print "none" }'
}

# The recorder and LTTng-UST in turn, on the last processor; who drains is on the first.
bench_recorder() {
    last=$(($(nproc) - 1))
    program=$bench_bin/lttng
    for round in $(seq "$rounds"); do
        echo "recorder, round $round of $rounds" >&2
        taskset -c "$last" "$bench_bin/record" >>"$work/record" || return 1
        [ ! -x "$lttng_home/program" ] || program=$lttng_home/program
        as_user "$last" "$program" >>"$work/ust" 2>>"$work/lttng" || return 1
    done
}

report_recorder() {
    if ! lttng_begin; then
        row 'recorder beside LTTng-UST' none "LTTng failed: $(tail -n 1 "$work/lttng")"
        stop_sessiond
        return
    fi
    if ! bench_recorder; then
        row 'recorder beside LTTng-UST' none "one of them failed: $(tail -n 1 "$work/lttng")"
        lttng_end
        stop_sessiond
        return
    fi
    lttng_end
    stop_sessiond
    row 'a record of 3 fields, the recorder on this machine' "$(median "$work/record") ns" \
        "median of $rounds, nothing lost"
    row 'the same by LTTng-UST, in turn' "$(median "$work/ust") ns" \
        "median of $rounds, ${discarded:-an unknown number} discarded"
    row 'ratio' "$(ratio "$(median "$work/record")" "$(median "$work/ust")")" 'bar: 0.333'
}

# user_cpu NAME COMMAND...: user CPU seconds go to $work/NAME.s, peak memory in KiB to $work/NAME.k.
user_cpu() {
    cpu_name=$1
    shift
    /usr/bin/time -o "$work/cpu" -f '%U %M' "$@" >/dev/null 2>"$work/$cpu_name.err" || return 1
    cut -d ' ' -f 1 "$work/cpu" >>"$work/$cpu_name.s"
    cut -d ' ' -f 2 "$work/cpu" >>"$work/$cpu_name.k"
}

# A real trace of more than a million events, as text, by both in turn.
bench_decoder() {
    boot traced 0 --memory 1024 --shift 3 --bench switches --set switches.ms=3000 \
        --set trace.bytes=67108864 >&2
    "$TARE" export --format ctf -o "$work/traced" "$work/traced.db" 2>"$work/export" || return 1
    "$TARE" export --format text "$work/traced.db" >"$work/ours.txt" 2>"$work/export" || return 1
    babeltrace2 --clock-seconds "$work/traced/switches" >"$work/theirs.txt" 2>"$work/export" ||
        return 1
    events=$(wc -l <"$work/ours.txt")
    cmp "$work/ours.txt" "$work/theirs.txt" >"$work/export" 2>&1 || return 1
    rm -f "$work/ours.txt" "$work/theirs.txt"
    for round in $(seq "$rounds"); do
        echo "decoder, round $round of $rounds" >&2
        user_cpu ours "$TARE" export --format text "$work/traced.db" &&
            user_cpu theirs babeltrace2 --clock-seconds "$work/traced/switches" || return 1
    done
}

report_decoder() {
    if ! bench_decoder; then
        row 'decoder beside babeltrace2' none "failed: $(tail -n 1 "$work/export")"
        return
    fi
    ours=$(median "$work/ours.s")
    theirs=$(median "$work/theirs.s")
    row "$events events as text, tare export, user CPU" "$ours s" \
        "median of $rounds, peak $(median "$work/ours.k") KiB"
    row 'the same by babeltrace2, in turn, to the byte' "$theirs s" \
        "median of $rounds, peak $(median "$work/theirs.k") KiB"
    row 'ratio' "$(ratio "$theirs" "$ours")" 'bar: 10'
}

trap 'stop_sessiond; rm -rf "$work"' EXIT
report_recorder
report_decoder
