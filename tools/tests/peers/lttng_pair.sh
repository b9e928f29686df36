# SPDX-License-Identifier: BSD-2-Clause
#
# Tracing, in pairs with another that does the same on the same machine: the recorder with LTTng-UST.
# Sourced by bench.sh. A failure of a peer is printed: a row without a number is no result.
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
        bench_row 'recorder beside LTTng-UST' none "LTTng failed: $(tail -n 1 "$work/lttng")"
        stop_sessiond
        return
    fi
    if ! bench_recorder; then
        bench_row 'recorder beside LTTng-UST' none "one of them failed: $(tail -n 1 "$work/lttng")"
        lttng_end
        stop_sessiond
        return
    fi
    lttng_end
    stop_sessiond
    bench_row 'a record of 3 fields, the recorder on this machine' "$(median_of "$work/record") ns" \
        "median of $rounds, nothing lost"
    bench_row 'the same by LTTng-UST, in turn' "$(median_of "$work/ust") ns" \
        "median of $rounds, ${discarded:-an unknown number} discarded"
    bench_row 'ratio' "$(ratio "$(median_of "$work/record")" "$(median_of "$work/ust")")" 'bar: 0.333'
}

trap 'stop_sessiond; rm -rf "$work"' EXIT
report_recorder
