#!/bin/sh
# Print the path of a Python from the PATH or from pyenv: the version that is passed if there is one,
# otherwise 3.12 or later. If there is none, print the version number that uv should find or download.
for version in ${1:-} any; do
    for candidate in python3.13 python3.12 python3 "$HOME"/.pyenv/versions/3.1[2-9]*/bin/python3; do
        if "$candidate" - "$version" 2>/dev/null <<'END'
import sys
here = "%d.%d" % sys.version_info[:2]
sys.exit(sys.version_info < (3, 12) or sys.argv[1] not in {here, "any"})
END
        then
            "$candidate" -c 'import sys; print(sys.executable)'
            exit 0
        fi
    done
done
echo 3.13
