#!/bin/sh
# Build the sdist and the wheel, check them, and use them outside the checkout.
#
#     sh scripts/check_release.sh UV
#
# The sdist must build the same wheel again. The wheel must analyze the bundled data in a fresh
# environment on each Python version in PYTHONS (3.12 and 3.13 by default).
set -eu
uv=$(command -v "$1" || echo "$PWD/$1")
case $uv in /*) ;; *) uv=$PWD/$uv ;; esac
root=$PWD
pythons=${PYTHONS:-3.12 3.13}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"$uv" build --quiet --out-dir "$place/dist"
"$uv" build --quiet --wheel --out-dir "$place/again" "$place"/dist/*.tar.gz
python3 - "$place"/dist/*.whl "$place"/again/*.whl <<'END'
import sys
import zipfile

first, second = (
    {each.filename: each.CRC for each in zipfile.ZipFile(path).infolist()} for path in sys.argv[1:]
)
if first != second:
    odd = sorted(name for name in {*first, *second} if first.get(name) != second.get(name))
    raise SystemExit(f"the sdist builds a different wheel; these files differ: {', '.join(odd)}")
print(f"sdist: builds the same wheel, with {len(first)} files")
END

"$uv" venv --quiet "$place/tools"
"$uv" pip install --quiet --python "$place/tools/bin/python" twine check-wheel-contents
"$place/tools/bin/twine" check --strict "$place"/dist/*
# W002: duplicate files. Two bundled folders may each have an empty __init__.py.
"$place/tools/bin/check-wheel-contents" --ignore W002 "$place"/dist/*.whl

for version in $pythons; do
    python=$("$uv" python find --no-python-downloads "$version" 2>/dev/null \
        || ls "$HOME"/.pyenv/versions/"$version".*/bin/python3 2>/dev/null | head -n 1)
    if [ -z "$python" ]; then
        echo "wheel: Python $version not found; set PYTHONS to the versions that you have" >&2
        exit 1
    fi
    "$uv" venv --quiet --python "$python" "$place/env$version"
    "$uv" pip install --quiet --python "$place/env$version/bin/python" \
        --constraints "$root/constraints.txt" "$place"/dist/*.whl
    (cd "$place" && "env$version/bin/bayesbias" --quiet run religion --out "report$version")
    test -s "$place/report$version/report.html"
    (cd "$place" && "env$version/bin/bayesbias" docs reading | grep -q interval)
    echo "wheel: bayesbias run religion wrote its report on Python $version"
done
