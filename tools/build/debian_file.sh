#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/debian_file.sh SUITE PACKAGE FILE SHA256 FOLDER
#
# Downloads FILE, a source tarball of Debian or a binary package (.deb), to FOLDER/FILE: that of PACKAGE in
# SUITE. Debian's own client, apt, checks it against the signed index; then its SHA-256 is checked.
# A file that exists and is correct is kept.
# The caller holds a lock on FOLDER. Output of apt is appended to the file that the variable LOG names.
# Exit status: 0 the file is there, 1 no archive has it.
set -eu

suite=$1
package=$2
file=$3
sha256=$4
folder=$5
log=${LOG:-/dev/null}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The archives from which this machine installs Debian, one URI a line, most likely first.
# Before the first `apt-get update` the origin is unknown; then the release name must match.
debian_archives() {
    codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}")
    format='$(ORIGIN)|$(LABEL)|$(RELEASE)|$(COMPONENT)|$(REPO_URI)'
    targets=$(apt-get indextargets --format "$format" 'Created-By: Packages' 2>/dev/null)
    {
        printf '%s\n' "$targets" | sed -n 's/^Debian|Debian|[^|]*|main|//p'
        printf '%s\n' "$targets" | sed -n "s/^[^|]*|[^|]*|$codename|main|//p"
    } | awk '!seen[$0]++'
}

# take CONFIGURATION: downloads by the package's name.
take() {
    case $file in
    *.deb) apt-get -c "$1" download "$package" ;;
    *) apt-get -c "$1" source --download-only --tar-only "$package" ;;
    esac
}

# fetch_from URI FOLDER: downloads the file to FOLDER. Lists, cache and state are private to FOLDER; the
# machine's own apt settings (such as proxies) still apply, except hooks that need root.
fetch_from() {
    mkdir -p "$2/lists/partial" "$2/cache/archives/partial" "$2/state"
    : >"$2/status"
    case $file in
    *.deb) kind=deb ;;
    *) kind=deb-src ;;
    esac
    echo "$kind [signed-by=$keyring] $1 $suite main" >"$2/sources.list"
    cat >"$2/apt.conf" <<CONF
Dir::Etc::sourcelist "$2/sources.list";
Dir::Etc::sourceparts "-";
Dir::State "$2/state";
Dir::State::Lists "$2/lists";
Dir::State::status "$2/status";
Dir::Cache "$2/cache";
Acquire::Retries "2";
APT::Sandbox::User "root"; # _apt may be unable to reach a private folder
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
CONF
    apt-get -c "$2/apt.conf" update &&
        (cd "$2" && take "$2/apt.conf") &&
        [ -f "$2/$file" ]
}

file_is_right() {
    echo "$sha256  $1" | sha256sum -c --status - 2>/dev/null
}

! file_is_right "$folder/$file" || exit 0
echo "$package: getting $file from the Debian archive" >&2
command -v apt-get >/dev/null 2>&1 || exit 1
work=$(mktemp -d "$folder/apt.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
for uri in $(debian_archives); do
    echo "== $uri" >>"$log"
    rm -rf "$work/apt"
    fetch_from "$uri" "$work/apt" >>"$log" 2>&1 || continue
    file_is_right "$work/apt/$file" || {
        echo "$file: wrong SHA-256" >>"$log"
        continue
    }
    mv "$work/apt/$file" "$folder/$file"
    exit 0
done
exit 1
