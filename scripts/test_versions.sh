#!/bin/sh
# Run the ordinary tests on several Pythons, versions of dependencies, and orders of tests, each in
# a fresh copy, and print one row of a table for each.
#
#     sh scripts/test_versions.sh UV
#
# PYTHONS, VERSIONS (pinned by constraints.txt, or the lowest that pyproject.toml declares), and
# ORDERS (numbers; written is the order of the files) choose the rows.
set -eu
root=$PWD
uv=$(command -v "$1" || echo "$root/$1")
case $uv in /*) ;; *) uv=$root/$uv ;; esac
BAYESBIAS_DATA=${BAYESBIAS_DATA:-$root/../shared/data}
export BAYESBIAS_DATA
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

for version in ${PYTHONS:-3.12 3.13}; do
    python=$(sh scripts/find_python.sh "$version")
    for versions in ${VERSIONS:-pinned lowest}; do
        case $versions in
            pinned) which="--constraints constraints.txt" ;;
            lowest) which="--resolution lowest-direct" ;;
            *) echo "VERSIONS are pinned and lowest, not $versions" >&2; exit 2 ;;
        esac
        for order in ${ORDERS:-written 1 2}; do
            rm -rf "$place/copy"
            mkdir "$place/copy"
            tar -C "$root" --exclude=./.git --exclude=./.venv --exclude=./.tools --exclude=./build \
                --exclude=./.hypothesis --exclude=__pycache__ -cf - . | tar -C "$place/copy" -xf -
            cd "$place/copy"
            "$uv" venv --quiet --python "$python" .venv
            # shellcheck disable=SC2086
            "$uv" pip install --quiet --python .venv/bin/python $which --editable '.[dev]'
            if ! BAYESBIAS_ORDER=${order#written} .venv/bin/pytest -n 2 -q \
                -m "not slow and not mlm and not browser" >"$place/log" 2>&1
            then
                cat "$place/log" >&2
                exit 1
            fi
            echo "| $(.venv/bin/python -c 'import platform; print(platform.python_version())')" \
                "| $versions | $order | $(tail -n 1 "$place/log") |"
            cd "$root"
        done
    done
done
