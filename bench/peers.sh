#!/bin/sh
# Installs the programs that `pellucid-bench speed --peers` compares with into a virtual environment:
#   bench/peers.sh [FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/peers-venv}
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --upgrade open3d pymeshlab libusb-package
if [ "$#" -gt 0 ]; then
    folder=$(cd "$folder" && pwd)
    echo "export PELLUCID_PEERS_PYTHON=$folder/bin/python"
fi
