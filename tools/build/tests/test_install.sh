#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What others get: the files that `make install` puts down, manual pages and completions that match
# `tare help`, and a Debian package that installs.
set -u

# shellcheck source-path=SCRIPTDIR source=lib.sh
. tools/tests/support/lib.sh

destination=$work/destination
prefix=$destination/opt/tare

installed_files() {
    find "$1" ! -type d -printf '%m %P\n' 2>/dev/null | LC_ALL=C sort -k 2
}

# The long options that the help of a command lists, and the commands that exist.
options_of() {
    "$TARE" help "$1" | sed -n 's/^ \{1,3\}\(-[A-Za-z0-9], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' |
        LC_ALL=C sort -u
}

benches() {
    "$TARE" complete boot --bench '' | grep -vxE 'all|none'
}

# differences FILE FILE: lines of one that the other has not.
differences() {
    LC_ALL=C comm -3 "$1" "$2" | tr -d '\t' | tr '\n' ' '
}

# same NAME FILE FILE
same() {
    check "$1" "$(differences "$2" "$3")" cmp -s "$2" "$3"
}

test_files() {
    (umask 077 && inner_make install DESTDIR="$destination" PREFIX=/opt/tare)
    check 'make install' "$(tail -n 5 "$work/make.txt")" test -x "$prefix/bin/tare"
    installed_files "$prefix" >"$work/files"
    check 'programs and folders are for all, whatever the umask' "$(cat "$work/files")" \
        grep -qx '755 bin/tare' "$work/files"
    check 'folders too' "$(find "$prefix" -type d ! -perm 755)" \
        test -z "$(find "$prefix" -type d ! -perm 755)"
    {
        echo share/bash-completion/completions/tare
        echo share/doc/tare/LICENSE
        for library in gnu-efi lwIP picolibc qrcodegen Spleen uPlot; do
            echo share/doc/tare/LICENSE.$library
        done
        tools/build/documents.sh --list | sed 's|^.github/||; s|^|share/doc/tare/|'
        echo share/man/man1/tare.1
        tare_commands | sed 's,.*,share/man/man1/tare-&.1,'
        benches | sed 's,.*,share/man/man7/tare-&.7,'
        sed -n 's,^\(tare-[a-z-]*\.\([57]\)\) .*,share/man/man\2/\1,p' tools/cmd/pages
        echo share/tare/count-1.so
        echo share/tare/count-2.so
        echo share/tare/exits-1.so
        echo share/tare/exits-2.so
        echo share/tare/folders
        echo share/tare/l1.sh
        echo share/tare/tare.efi
        echo share/tare/tare-smp.efi
        echo share/tare/tare.img
    } | sed 's/^/644 /' | LC_ALL=C sort -u -k 2 >"$work/wanted"
    grep -v '^755 bin/tare$' "$work/files" >"$work/others"
    same 'all that belongs there, and nothing else' "$work/wanted" "$work/others"
    tools/build/links.sh --links "$prefix/share/doc/tare" >"$work/links" 2>&1
    check 'each link of the installed documents leads somewhere' "$(tail -n 5 "$work/links")" \
        grep -qE '^links.sh: [0-9]{2} READMEs, 0 faults$' "$work/links"
    echo '[nowhere](kernel/none/README.md)' >>"$prefix/share/doc/tare/README.md"
    expect_status 'a link that leads nowhere is found there' 1 tools/build/links.sh --links "$prefix/share/doc/tare"
    inner_make install DESTDIR="$destination" PREFIX=/opt/tare
    installed_files "$prefix" >"$work/again"
    same 'a second time changes nothing' "$work/files" "$work/again"
}

test_program() {
    expect_status 'the installed program runs' 0 "$prefix/bin/tare" --version
    check 'it names its version' "$(cat "$work/output")" \
        grep -qE '^tare [0-9.]+ \(log format [0-9]+, run file schema [0-9]+\)$' "$work/output"
    cat >"$work/qemu" <<'QEMU'
#!/bin/sh
echo "$@" >>"$(dirname "$0")/arguments"
QEMU
    chmod +x "$work/qemu"
    : >"$work/firmware"
    (cd "$work" && ./destination/opt/tare/bin/tare boot --mode exact --qemu ./qemu \
        --firmware ./firmware --log boot.log) >"$work/output" 2>&1
    check 'tare boot finds the installed image' "$(cat "$work/output")" \
        grep -q "opt/tare/share/tare/tare.efi" "$work/arguments"
}

test_uninstall() {
    inner_make uninstall DESTDIR="$destination" PREFIX=/opt/tare
    check 'make uninstall leaves no file' "$(installed_files "$prefix")" \
        test -z "$(installed_files "$prefix")"
    check 'and no folder that it made' "$(find "$work/destination" 2>&1)" test ! -e "$work/destination"
    mkdir -p "$prefix/bin" "$prefix/share/man"
    inner_make install DESTDIR="$destination" PREFIX=/opt/tare
    inner_make install DESTDIR="$destination" PREFIX=/opt/tare
    : >"$prefix/share/doc/other"
    inner_make uninstall DESTDIR="$destination" PREFIX=/opt/tare
    find "$prefix" | sed "s|^$prefix||" | LC_ALL=C sort >"$work/left"
    printf '%s\n' '' /bin /share /share/doc /share/doc/other /share/man >"$work/wanted"
    same 'folders that were there, or hold other files, stay' "$work/wanted" "$work/left"
}

# The pages have options with their dashes escaped.
test_pages() {
    mandoc -Tlint -Werror build/help/man/* >"$work/lint" 2>&1
    check 'manual pages: nothing for mandoc to warn of' "$(head -n 3 "$work/lint")" \
        test ! -s "$work/lint"
    for page in $(sed -n 's/^\(tare-[a-z-]*\.[57]\) .*/\1/p' tools/cmd/pages | sort -u); do
        grep '^\.SH' "build/help/man/$page" >"$work/heads"
        sed -n "s/^$page *|.*| *\(.*\)/\1/p" tools/cmd/pages | tr ';' '\n' | sed 's/^ *//' >"$work/wanted"
        check "$page has its sections" "$(cat "$work/heads")" \
            test "$(wc -l <"$work/heads")" -eq $((1 + $(wc -l <"$work/wanted")))
    done
    for bench in gap echo chase rtt; do
        "$TARE" help "$bench" >"$work/help"
        tools/build/lists.sh --keys | sed -n "s/^\($bench\.[^ ]*\) .*/\1/p" >"$work/wanted"
        grep -xoE "  $bench\.[a-z_0-9]+" "$work/help" | sed 's/^ *//' >"$work/found"
        same "tare help $bench has each parameter" "$work/wanted" "$work/found"
    done
    for command in $(tare_commands); do
        page=build/help/man/tare-$command.1
        options_of "$command" >"$work/wanted"
        sed 's/\\f[A-Z]/ /g; s/\\//g' "$page" | grep -o -e '--[a-z0-9-]*' | LC_ALL=C sort -u |
            LC_ALL=C comm -12 - "$work/wanted" >"$work/found"
        same "tare-$command(1) has the options of the help" "$work/wanted" "$work/found"
    done
    # Without what is printed twice, bold or underlined.
    MANWIDTH=78 mandoc -Tascii build/help/man/tare-show.1 | sed "s/.$(printf '\b')//g" >"$work/page"
    check 'a page shows the forms of the command' "$(head -n 12 "$work/page")" \
        grep -q 'tare show --json RUN.db' "$work/page"
}

# bash_completes WORD...: what bash offers for the last of them, one a line.
bash_completes() {
    bash --norc --noprofile -c 'PATH=$PATH:$(dirname "$0"); . tools/cmd/tare.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _tare
        printf "%s\n" "${COMPREPLY[@]}"' "$TARE" "$@"
}

# offers NAME "WANTED..." COMMAND...: the command prints these words, one a line, and no other.
offers() {
    offers_name=$1
    # shellcheck disable=SC2086 # words
    printf '%s\n' $2 | LC_ALL=C sort >"$work/wanted"
    shift 2
    "$@" | LC_ALL=C sort >"$work/found"
    same "$offers_name" "$work/wanted" "$work/found"
}

test_completion() {
    for command in $(tare_commands); do
        { options_of "$command" && printf '%s\n' --color --no-pager; } |
            LC_ALL=C sort -u >"$work/options"
        bash_completes tare "$command" -- | LC_ALL=C sort -u >"$work/found"
        same "bash: options of tare $command" "$work/options" "$work/found"
    done
    offers 'bash: a command' show bash_completes tare sho
    offers 'bash: words' 'auto exact real' bash_completes tare boot --mode ''
    offers 'bash: colours, and then a command' capture bash_completes tare --color always cap
    offers 'bash: a command after help' 'disk diff' bash_completes tare help di
    offers 'bash: a value after =' 'exact' bash_completes tare boot --mode = e
    offers 'bash: a profile' 'noise network' bash_completes tare boot --profile n
    offers 'bash: a format' 'csv csv-summary csv-events' bash_completes tare export --format cs
    offers 'bash: a bench, also the last of a list' 'idle,gap' bash_completes tare boot --bench idle,ga
    offers 'bash: parameters of a bench' 'idle.ms= idle.sample_us= idle.tick_hz=' \
        bash_completes tare boot --set idle.
    offers 'bash: an action' 'extract' bash_completes tare db ex
    offers 'bash: no option twice' '' bash_completes tare boot --smp 2 --smp
    offers 'bash: but one that may be repeated' '--set' bash_completes tare boot --set a=1 --set
    offers 'bash: nothing after --' '' bash_completes tare boot -- --m
    offers 'bash: a file where nothing else goes' '' bash_completes tare show ru
}

# The package, into a separate root with a separate database.
test_package() {
    package=$(echo build/tare_*_amd64.deb)
    rm -f build/tare_*_amd64.deb
    inner_make deb
    package=$(echo build/tare_*_amd64.deb)
    check 'make deb' "$(tail -n 5 "$work/make.txt")" test -e "$package"
    cp "$package" "$work/one.deb"
    rm -f "$package"
    (umask 077 && inner_make deb)
    check 'the same package again, byte for byte' 'it differs' cmp -s "$package" "$work/one.deb"
    dpkg-deb -f "$package" >"$work/fields"
    for field in 'Package: tare' 'Architecture: amd64' 'Depends: .*libc6.*libsqlite3-0' \
        'Recommends: qemu-system-x86, ovmf' 'Homepage: https://' 'Maintainer: .* <.*@.*>'; do
        check "package: $field" "$(cat "$work/fields")" grep -q "^$field" "$work/fields"
    done
    dpkg-deb -c "$package" | awk '$2 != "root/root" || $1 !~ /^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x)/' \
        >"$work/odd"
    check 'package: all is of root, and for all to read' "$(cat "$work/odd")" test ! -s "$work/odd"

    mkdir -p "$work/root/var/lib/dpkg/info" "$work/root/var/lib/dpkg/updates"
    : >"$work/root/var/lib/dpkg/status"
    PATH=$PATH:/usr/sbin:/sbin dpkg --root="$work/root" --log=/dev/null --force-depends \
        --force-not-root -i "$package" >"$work/output" 2>&1
    check 'package: installs' "$(cat "$work/output")" \
        grep -q '^Status: install ok installed' "$work/root/var/lib/dpkg/status"
    check 'package: sums are right' "$(cat "$work/output")" eval \
        '(cd "$work/root" && md5sum --quiet -c var/lib/dpkg/info/tare.md5sums) >"$work/output" 2>&1'
    "$TEST_BIN/fake_image" --stdout >"$work/run.log"
    expect_status 'package: its program decodes' 0 "$work/root/usr/bin/tare" decode "$work/run.log" \
        -o "$work/run.db"
    expect_status 'package: its program shows' 0 "$work/root/usr/bin/tare" show "$work/run.db"
    check 'package: what it shows is a run' "$(head -n 3 "$work/output")" grep -q '^VALID' \
        "$work/output"
    check 'package: pages are packed' 'none' \
        gzip -t "$work/root/usr/share/man/man1/tare-show.1.gz"
}

test_files
test_program
test_uninstall
test_pages
test_completion
test_package
finish
