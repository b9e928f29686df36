#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tare.efi schedules, records and takes interrupts by the same object code as if the code for several
# processors did not exist. A twin of its sources, from which unifdef (not ours) has removed that code and a
# few lines of Python the macros for variables of each processor, is compiled by the image's own commands;
# the objects must be equal, byte for byte. A macro that is not empty in tare.efi must be found.
# shellcheck disable=SC2086 # words
set -u

. tools/tests/support/lib.sh

sources="kernel/irq/interrupt.c kernel/trace/account.c kernel/trace/recorder.c kernel/trace/recorder.S"
for name in scheduler dpc timer thread locks pipe queue message; do
    sources="$sources kernel/task/$name.c"
done
with_code=$(grep -rlE 'TARE_SMP|PER_CPU' kernel --include='*.[chS]' --include='*.def' | grep -v kernel/cpu/percpu.h)

# The image's own commands, one a line: make prints what it would do.
for source in $sources; do
    set -- "$@" -W "$source" "build/image/obj/$source.o"
done
inner_make -n "$@"
grep -E ' -c -o build/image/obj/' "$work/make.txt" | sed 's| -MMD -MP||' >"$work/commands"
check 'make states how each object is made' "$(tail -n 2 "$work/make.txt")" \
    test "$(wc -l <"$work/commands")" -eq "$(echo "$sources" | wc -w)"

# compile TREE: its objects go to TREE/obj, without what debuggers need.
compile() {
    (cd "$work/$1" && mkdir -p obj/kernel/irq obj/kernel/trace obj/kernel/task &&
        sed 's| -o build/image/obj/| -o obj/|' "$work/commands" | sh -e) >"$work/$1.txt" 2>&1 && strip_all "$work/$1/obj"
}
# strip_all FOLDER
strip_all() {
    for source in $sources; do
        objcopy --strip-debug --remove-section .comment "$1/$source.o" "$1/$source.bare" || return 1
    done
}
# tree NAME: a copy of the kernel.
tree() {
    mkdir "$work/$1" && cp -R kernel "$work/$1" && ln -s "$PWD/build" "$work/$1/build"
}
# differing A B: prints the sources whose objects differ.
differing() {
    for source in $sources; do
        cmp -s "$work/$1/obj/$source.bare" "$work/$2/obj/$source.bare" || echo "$source"
    done
}

# purge TREE: no code for several processors, and no macro of percpu.h.
purge() {
    (cd "$work/$1" && for file in $with_code; do
        unifdef -UTARE_SMP -o "$file.one" "$file"
        [ $? -le 1 ] && mv "$file.one" "$file" || exit 1
    done && echo '#define PERCPU_MAX 16' >kernel/cpu/percpu.h && python3 - $with_code <<'PYTHON'
import re, sys

def arguments(text, at):
    """The arguments of a macro whose bracket opens at `at`, and the end behind it."""
    depth, begin, found = 0, at + 1, []
    for i in range(at, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
        if depth == 0 or (depth == 1 and text[i] == ","):
            found.append(text[begin:i])
            begin = i + 1
        if depth == 0:
            return found, i + 1

for name in sys.argv[1:]:
    text = open(name).read()
    while (match := re.search(r"\bPER_CPU_(HERE|OF)(?=\()", text)):
        found, end = arguments(text, match.end())
        text = f"{text[:match.start()]}(&({found[-1]})){text[end:]}"
    text = re.sub(r"\bPER_CPU(_SECTION)?\b", "", text)
    # recorder.S has its own macro: OWN(variable) is the variable.
    text = re.sub(r"\bOWN\(([^()]*)\)", r"\1", re.sub(r"#define OWN\(variable\).*", "", text))
    open(name, "w").write(text)
PYTHON
    )
}

mkdir "$work/built" && cp -R build/image/obj "$work/built/obj" && strip_all "$work/built/obj"
check 'the image is built' 'its objects are missing' test $? -eq 0
tree twin && purge twin
check 'the twin: made' 'it cannot be' test $? -eq 0
check 'the twin: no code for several processors is left' "$(cd "$work/twin" && grep -lw 'TARE_SMP' $sources)" \
    test -z "$(cd "$work/twin" && grep -lw 'TARE_SMP' $sources)"
check 'the twin: compiled' "$(tail -n 5 "$work/twin.txt" 2>/dev/null)" compile twin
check 'the image has the same objects' "$(differing built twin)" test -z "$(differing built twin)"

# Macros that only tare.efi defines could hide code from the comparison. These, and nothing else: those that the
# twin does not have; a constant; and what was in the code before it knew several processors.
cat >"$work/known" <<'KNOWN'
#define KERNEL_STACK movq task_state + TASK_STATE_RSP0(%rip), %rsp
#define OWN(variable) variable
#define PER_CPU
#define PER_CPU_HERE(type, variable) (&(variable))
#define PER_CPU_OF(number, type, variable) (&(variable))
#define PER_CPU_SECTION
#define TRACE_CODEC_NUMBERS 120
#define TSC_GIVEN 0
#define interrupt_device_lapic() lapic_id()
KNOWN
# only_of_one TREE: prints them.
only_of_one() {
    for file in $with_code kernel/cpu/percpu.h; do
        for side in U D; do
            unifdef -${side}TARE_SMP "$1/$file" | sed -n 's/^# *define  */#define /p' | tr -s ' ' | LC_ALL=C sort >"$work/$side"
        done
        LC_ALL=C comm -23 "$work/U" "$work/D"
    done | LC_ALL=C sort -u
}
unknown() {
    only_of_one "$1" | LC_ALL=C comm -23 - "$work/known"
}
check 'macros of tare.efi alone: those that are known' "$(unknown .)" test -z "$(unknown .)"

# ---- what must be found ----

# mutant NAME SCRIPT FILE: that change is in an object.
mutant() {
    tree "$1"
    sed -i "$2" "$work/$1/$3"
    check "mutant $1: it is one" "$3 is unchanged" test -n "$(cmp "$3" "$work/$1/$3" 2>&1)"
    check "mutant $1: compiled" "$(tail -n 5 "$work/$1.txt" 2>/dev/null)" compile "$1"
    check "mutant $1: is found" 'it is not' test -n "$(differing "$1" twin)"
}
mutant load 's/^#define PER_CPU_HERE(type, variable) (&(variable))/#define PER_CPU_HERE(type, variable) (\&(variable) + 0 * *(volatile char *)\&(variable))/' kernel/cpu/percpu.h
mutant section 's/^#define PER_CPU_SECTION$/&  __attribute__((section(".percpu")))/' kernel/cpu/percpu.h
mutant outside '0,/^#if TARE_SMP/s//#if 1/' kernel/trace/account.c
tree hidden
sed -i 's/^#define OWN(variable) variable/#define OWN(variable) variable; nop/' "$work/hidden/kernel/trace/recorder.S"
check 'mutant hidden: a macro that is not empty is found' "$(unknown "$work/hidden")" \
    test "$(unknown "$work/hidden")" = '#define OWN(variable) variable; nop'
finish
