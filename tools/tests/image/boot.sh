# SPDX-License-Identifier: BSD-2-Clause
#
# Common to the tests that boot the image; sourced after lib.sh.
#
# shellcheck shell=sh

image=${IMAGE:-build/image/tare.efi}
limit=300

# boot_once NAME OPTION...: boots into $work/NAME.log and .db, without a verdict, for tests that may boot
# again; once_status has its status. Its error output goes to $work/NAME.err.
# shellcheck disable=SC2034 # of those who source this
boot_once() {
    once_name=$1
    shift
    once_status=0
    timeout $limit "$TARE" boot --log "$work/$once_name.log" -o "$work/$once_name.db" "$@" \
        >"$work/$once_name.out" 2>"$work/$once_name.err" || once_status=$?
}

# monitor COMMAND...: tells QEMU's monitor at the socket $work/monitor each command, waits until QEMU has
# carried them out, and prints its answers without carriage returns. QEMU drops a command whose sender has gone
# before QEMU read it, and a busy host reads late: socat stays for 30 s (-t), or until QEMU closes the socket.
monitor() {
    printf '%s\n' "$@" | socat -t 30 - "unix-connect:$work/monitor" 2>&1 | tr -d '\r'
}

# boot_ended NAME STATUS: passes if the last boot_once, whose run was NAME, ended with STATUS.
boot_ended() {
    if [ "$once_status" -eq "$2" ]; then
        pass "$1: ends with status $2"
    else
        fail "$1: ends with status $2" \
            "it ended with $once_status: $(tail -n 3 "$work/$1.err" | tr '\n' ' ')"
    fi
}

# boot NAME STATUS OPTION...: boots in exact mode, and passes if `tare boot` ends with STATUS.
boot() {
    boot_name=$1
    boot_status=$2
    shift 2
    boot_once "$boot_name" --mode exact "$@"
    boot_ended "$boot_name" "$boot_status"
}

# run_file_json NAME: the run file as JSON, in $work/NAME.run.json; made again when that is not newer.
run_file_json() {
    # shellcheck disable=SC3013 # -nt is in POSIX since 2024
    [ "$work/$1.run.json" -nt "$work/$1.db" ] ||
        "$TARE" show --json "$work/$1.db" >"$work/$1.run.json" 2>/dev/null
}

# json NAME FILTER: true if jq's filter is true of the run's JSON.
json() {
    run_file_json "$1"
    [ -s "$work/$1.run.json" ] && jq -e "$2" "$work/$1.run.json" >/dev/null 2>&1
}

# value NAME FILTER: prints the result of jq's filter on the run's JSON.
value() {
    run_file_json "$1"
    jq -r "$2" "$work/$1.run.json" 2>/dev/null
}

# all_ok NAME BENCH...: the run is valid and each of these benches is OK.
all_ok() {
    all_name=$1
    shift
    json "$all_name" '.run.valid' || return 1
    for all_bench in "$@"; do
        json "$all_name" ".benches[] | select(.name == \"$all_bench\") | .status == \"OK\"" ||
            return 1
    done
}

# Series that the course of the boot decides, by name, for jq and sqlite3: times of the day, idle
# samples, whose length ends with the session, and clocks, whose ticks began with firmware.
# shellcheck disable=SC2034 # of those who source this
course_series='^(idle|intended|written|sent|stamp_.*|estimate[.].*)$'

# printed NAME TEXT: true if the log, inside a frame or not, or the error output holds the text.
printed() {
    grep -aqF "$2" "$work/$1.log" "$work/$1.err"
}

# copy_tree: $tree is a copy of what the image is made of, with its
# objects: of a damaged one, only the damaged files are compiled.
copy_tree() {
    mkdir "$tree" && mkdir "$tree/build" &&
        cp -a Makefile linker.ld boot kernel bench tools "$tree" &&
        cp -a build/image build/smp build/lwip build/qrcodegen build/spleen build/uplot build/modules.mk "$tree/build"
}

# without_tpm FIRMWARE TARGET: as `tare boot` hands it to QEMU (tools/qemu/qemu.h), so that
# firmware does not wait for a TPM that is not there.
without_tpm() {
    without_hole=$((0x100000000 - 0xfed40000 - 20480 - $(stat -L -c %s "$1")))
    { head -c 20480 /dev/zero | tr '\0' '\377' && head -c "$without_hole" /dev/zero && cat "$1"; } >"$2"
}
