#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tools/build/release.sh VERSION FOLDER FILE...
#
# Makes a release: FOLDER is emptied, and gets a copy of each FILE with the version in its name (images of
# fixed size compressed), CHANGELOG made from the subjects of the commits, and SHA256SUMS of all of these.
# The same input gives the same bytes. CHANGELOG contains the version as git describes it.
set -eu

[ $# -ge 3 ] || {
    echo "usage: tools/build/release.sh VERSION FOLDER FILE..." >&2
    exit 2
}
version=$1
folder=$2
shift 2
export LC_ALL=C
rm -rf "$folder"
mkdir -p "$folder"

for file; do
    base=${file##*/}
    case $base in
    tare_*) name=$base ;;
    *) name=tare-$version${base#tare} ;;
    esac
    case $name in
    # A virtual disk of fixed size or a stick consists mostly of zeros.
    *.img | *.vhd) gzip -9n <"$file" >"$folder/$name.gz" ;;
    *) cp "$file" "$folder/$name" ;;
    esac
done

# Commits since the tag before this one; all commits if there is no tag.
{
    described=$(git describe --tags --always 2>/dev/null) || described='no git checkout'
    printf 'tare %s (%s)\n\n' "$version" "$described"
    last=$(git describe --tags --abbrev=0 HEAD^ 2>/dev/null) || last=
    git log --no-merges --format='- %s' ${last:+"$last..HEAD"} 2>/dev/null ||
        echo '- changes are unknown: no git checkout'
} >"$folder/CHANGELOG"

find "$folder" -type f -exec chmod 644 {} +
find "$folder" -exec touch -d "@${SOURCE_DATE_EPOCH:-1767225600}" {} +
(cd "$folder" && sha256sum -- * >../SHA256SUMS.new && mv ../SHA256SUMS.new SHA256SUMS)
chmod 644 "$folder/SHA256SUMS"
