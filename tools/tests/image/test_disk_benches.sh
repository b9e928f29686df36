#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Benches of disks in exact time, on modelled disks: equal boots give equal bytes,
# every sector is checked, and the knee of the file cache stands where the cache ends. Every read of a
# modelled disk takes what the law and the kernel's named parts make, computed by another program.
#
#     DISK_READS   how many reads are held against the law (default 800)
#     DISK_BOOTS   boots that must be equal (default 2)
set -u

. tools/tests/support/lib.sh
. tools/tests/image/boot.sh

reads=${DISK_READS:-800}
seed=$(date +%s)
benches=disklatency,diskload,fileread,filecache
caches=32,48,64,96,128

# draw_plan BYTES: where is read, how often, by how many threads, at which depth. `disklatency` reads
# four sizes; two loads of `diskload` have as many reads together. Each call draws another plan.
draw_plan() {
    seed=$((seed + 1))
    awk -v seed="$seed" -v reads="$reads" -v bytes="$1" -v caches="$caches" '
        function draw(low, high) { return low + int(rand() * (high - low + 1)) }
        BEGIN {
            srand(seed)
            few = draw(2, 12)
            many = draw(13, 32)
            printf "disklatency.reads=%d disklatency.seed=%d\n", reads / 8, draw(1, 1e6)
            printf "diskload.threads=%d,%d diskload.reads=%d diskload.depth=%d\n", few, many,
                reads / 2 / (few + many) + 1, draw(1, 32)
            printf "diskload.bytes=%d diskload.think_us=%d diskload.seed=%d diskload.traced=4\n",
                bytes, draw(0, 200), draw(1, 1e6)
            printf "filecache.caches=%s fileread.kib=16,64\n", caches
        }' >"${work:?}/plan"
    cat "$work/plan"
}

# as_the_law NAME MODEL BYTES [constant]: every read within 64 ticks; $work/law has how many, and the
# largest.
as_the_law() {
    as_name=$1
    shift
    /usr/bin/python3 tools/tests/image/disk_timing.py "$work/$as_name.db" "$@" >"$work/law" 2>&1
}

# counts NAME CACHE FILE COUNT: a count of filecache, of a file in pages and a cache in KiB.
counts() {
    counts_prefix=
    [ "$2" -eq "${caches%%,*}" ] || counts_prefix=cache.$(($2 * 1024)).
    sqlite3 "$work/$1.db" "SELECT min FROM series WHERE bench = 'filecache' AND
        name = '$counts_prefix$4.$(($3 * 4096))'"
}

# knee NAME POLICY: for each cache, a file of its size is found whole, and one page more is not.
knee() {
    for knee_cache in $(echo "$caches" | tr , ' '); do
        knee_pages=$((knee_cache / 4))
        knee_within=$(counts "$1" "$knee_cache" "$knee_pages" hits)
        knee_beyond=$(counts "$1" "$knee_cache" $((knee_pages + 1)) hits)
        echo "$knee_cache KiB: $knee_within of $knee_pages, $knee_beyond of $((knee_pages + 1))"
        [ "$knee_within" = "$knee_pages" ] || return 1
        case $2 in
        lru) [ "$knee_beyond" = 0 ] || return 1 ;;
        *) [ "$knee_beyond" -gt 0 ] && [ "$knee_beyond" -le $((knee_pages / 2)) ] || return 1 ;;
        esac
    done
}

# True if hits, misses and pages read ahead are the reads, in each of the points of filecache.
adds_up() {
    sqlite3 "$work/$1.db" "
        SELECT count(*), sum(reads.min = hits.min + misses.min + ahead.min)
        FROM series AS reads
        JOIN series AS hits ON hits.name = replace(reads.name, 'reads.', 'hits.')
        JOIN series AS misses ON misses.name = replace(reads.name, 'reads.', 'misses.')
        JOIN series AS ahead ON ahead.name = replace(reads.name, 'reads.', 'read_ahead.')
        WHERE reads.bench = 'filecache' AND
            (reads.name LIKE 'reads.%' OR reads.name LIKE 'cache.%.reads.%')" >"$work/sums"
    IFS='|' read -r points good <"$work/sums"
    [ "$points" -ge 25 ] && [ "$points" = "$good" ]
}

# Each bench checked sectors and none was wrong; of those that publish every read, all sectors of
# these reads, and of the 16 reads that diskload traces.
all_checked() {
    json "$1" '.benches | length == 4 and
        all(.facts.wrong == 0 and .facts.checked > 0 and .found.verified == "yes") and
        ([.[] | select(.name == "disklatency") | .facts.checked - ([.series[] |
            select(.name | startswith("read.")) | .n * (.name[5:] | tonumber) / 512] | add)] == [0]) and
        ([.[] | select(.name == "diskload") | .facts.checked - (16 + ([.series[] |
            select(.name | startswith("read.")) | .n] | add)) * '"$2"' / 512] == [0])'
}

# traced_whole NAME BYTES: the trace of diskload has each of its 16 reads from issue to completion, its
# books close, and each of the four threads waited for the disk.
traced_whole() {
    json "$1" '.benches[] | select(.name == "diskload").accounting |
        .difference == 0 and .inconsistencies == 0 and
        ([.threads[] | select((.waiting.disk // 0) > 0)] | length) == 4 and
        (.disks | length) == 1 and (.disks[0] | .requests == 16 and .good == 16 and
            .time.n == 16 and .time.min > 100000 and .sectors == 16 * '"$2"' / 512 and
            .outstanding_at_end == 0 and .lost == 0 and .not_issued_here == 0 and
            .deepest >= 1 and .deepest <= 4 and .request_ticks == .time.total)'
}

# kernel_costs NAME: instructions of submission, interrupt and wake-up of a read of 512 bytes.
# shellcheck disable=SC2016 # jq's variables
kernel_costs() {
    value "$1" '(.run.ticks_per_instruction | tonumber) as $tick | .benches[] |
        select(.name == "disklatency") | [.series[] | {(.name): (.median / $tick)}] | add |
        [.["submit.512"], .["interrupt.512"], .["wake.512"]] | join(" ")'
}

# costs_at_most NAME SUBMIT INTERRUPT WAKE
costs_at_most() {
    kernel_costs "$1" | awk -v submit="$2" -v interrupt="$3" -v wake="$4" '
        { exit !($1 > 0 && $1 <= submit && $2 > 0 && $2 <= interrupt && $3 > 0 && $3 <= wake) }'
}

# check_run NAME MODEL BYTES POLICY [constant]
check_run() {
    check "$1: every bench is OK" "$(value "$1" '.benches[] | .name, .status, .reason' | tr '\n' ' ')" \
        all_ok "$1" disklatency diskload fileread filecache
    check "$1: every sector was checked" "$(value "$1" '.benches[].facts | .checked, .wrong' |
        tr '\n' ' ')" all_checked "$1" "$3"
    check "$1: hits, misses and pages read ahead are the reads" "$(cat "$work/sums")" adds_up "$1"
    check "$1: the knee stands at the cache, for five caches" "$(knee "$1" "$4")" knee "$1" "$4"
    check "$1: the trace has each request of diskload" "$(value "$1" '.benches[] |
        select(.name == "diskload").accounting.disks' | head -c 300)" traced_whole "$1" "$3"
    as_the_law "$1" "$2" "$3" "${5:-}"
    law=$?
    check "$1: every read is its law's and the kernel's parts: $(cat "$work/law")" \
        "$(cat "$work/plan")" test "$law" -eq 0
}

# differing NAME: the first place in which a boot is another than the first.
differing() {
    for other in $(seq 2 "${DISK_BOOTS:-2}"); do
        "$TARE" diff "$work/${1}1.db" "$work/$1$other.db" 2>&1 | head -n 4
    done
}

# boots NAME OPTION...: NAME1 and so on have one log.
boots() {
    boots_name=$1
    shift
    for number in $(seq "${DISK_BOOTS:-2}"); do
        boot "$boots_name$number" 0 --bench "$benches" --plan "$work/plan" "$@"
    done
    (cd "$work" && sha256sum "$boots_name"[0-9].log) >"$work/sums"
    check "$boots_name: logs of ${DISK_BOOTS:-2} boots are equal by sha256" "$(differing "$boots_name")" \
        test "$(cut -d ' ' -f 1 "$work/sums" | sort -u | wc -l)" -eq 1
}

test_modelled() {
    draw_plan 4096
    boots modelled
    check_run modelled1 ssd2014 4096 lru constant
    check "modelled1: a read costs the kernel few instructions: $(kernel_costs modelled1)" \
        'more than 270, 180 and 385' costs_at_most modelled1 270 180 385
}

# A disk that seeks and turns, and has one server.
test_moving() {
    reads=$((reads / 4))
    draw_plan 512
    boot moving 0 --bench "$benches" --plan "$work/plan" --set disk.model=hdd1996 \
        --set cache.policy=2q --shift 6
    check_run moving hdd1996 512 2q
}

test_modelled
test_moving
finish
