#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
#     tools/build/documents.sh --list       prints the documents that are installed: READMEs, pictures
#     tools/build/documents.sh FOLDER       copies them to FOLDER
#     tools/build/documents.sh --site FOLDER   makes FOLDER/site of them, a site with a search
#
# In the copies a link to a source, which is not installed, is only its text. .github/CONTRIBUTING.md
# lies at the top. Run it in the top folder of the tree.
set -eu

list() {
    {
        find boot kernel bench tools -name README.md -o -name '*.png' -path 'tools/*' -o -name '*.png' -path 'kernel/*'
        echo README.md
        echo .github/CONTRIBUTING.md
    } | LC_ALL=C sort
}

# copy FILE: a document with links that lead somewhere.
copy() {
    awk -v depth="$(echo "$1" | tr -cd / | wc -c)" '
        # Returns the target of a link to another document as it is in the copy, or "" if the copy has none.
        function target(link) {
            sub(/^\.github\//, "", link)
            if (FILENAME ~ /^\.github\//) {
                sub(/^\.\.\//, "", link)
            }
            if (link ~ /^(https?:|mailto:|#)/ || link ~ /(README|CONTRIBUTING)\.md(#.*)?$/ || link ~ /\.png$/) {
                return link
            }
            return link ~ /\/$/ ? link "README.md" : ""
        }
        {
            rest = $0
            while (match(rest, /\[[^]]*\]\([^) ]+\)/)) {
                found = substr(rest, RSTART, RLENGTH)
                at = index(found, "](")
                text = substr(found, 1, at)
                link = target(substr(found, at + 2, length(found) - at - 2))
                printf "%s%s", substr(rest, 1, RSTART - 1),
                    link == "" ? substr(text, 2, length(text) - 2) : text "(" link ")"
                rest = substr(rest, RSTART + RLENGTH)
            }
            print rest
        }' "$1"
}

copy_all() {
    list | while read -r file; do
        to=$1/${file#.github/}
        mkdir -p "${to%/*}"
        case $file in
        *.png) cp "$file" "$to" ;;
        *) copy "$file" >"$to" ;;
        esac
    done
}

# mkdocs takes the README.md of a folder as its index.
make_site() {
    rm -rf "$1"
    mkdir -p "$1/docs"
    copy_all "$1/docs"
    cat >"$1/mkdocs.yml" <<'CONFIG'
site_name: tare
docs_dir: docs
site_dir: site
theme: {name: material, features: [navigation.indexes]}
plugins: [search]
CONFIG
    mkdocs build --quiet --strict --config-file "$1/mkdocs.yml"
}

case ${1-} in
--list) list ;;
--site) make_site "$2" ;;
*) copy_all "$1" ;;
esac
