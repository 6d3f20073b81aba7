#!/bin/sh
# Print a Python of version 3.12 or later: one on the PATH, one of pyenv's, or, failing both, the
# version number that uv is then asked to find or fetch.
for candidate in python3.13 python3.12 python3 "$HOME"/.pyenv/versions/3.1[2-9]*/bin/python3; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
        "$candidate" -c 'import sys; print(sys.executable)'
        exit 0
    fi
done
echo 3.13
