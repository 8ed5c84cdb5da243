#!/bin/sh
# Collects what `epochal audit` reads, with Kafka's own tools: sh collect.sh HOST:PORT FOLDER [CLIENT.PROPERTIES]
# Every command describes; none changes anything. KAFKA_BIN is the folder of the tools, if they are not on the path.
set -u
if [ $# -lt 2 ] || [ $# -gt 3 ]; then
    echo "usage: sh collect.sh HOST:PORT FOLDER [CLIENT.PROPERTIES]" >&2
    exit 2
fi
server=$1
folder=$2
config=${3:-}
if [ -e "$folder" ]; then
    echo "$folder is there already: name a new folder, so that answers of two moments are not mixed" >&2
    exit 2
fi
mkdir -p "$folder" || exit 2
failed=0

tool() { # FILE TOOL ARGUMENTS...
    file=$1
    name=$2
    shift 2
    program=${KAFKA_BIN:+$KAFKA_BIN/}$name
    if ! command -v "$program" >/dev/null 2>&1; then program=$program.sh; fi
    echo "asking $name $*" >&2
    if [ -n "$config" ]; then set -- --command-config "$config" "$@"; fi
    if ! "$program" --bootstrap-server "$server" "$@" >"$folder/$file.part"; then
        echo "$name has failed: $file is left out" >&2
        rm -f "$folder/$file.part"
        failed=30
        return
    fi
    mv "$folder/$file.part" "$folder/$file"
}

tool topics.txt kafka-topics --describe
tool topic-configs.txt kafka-configs --describe --all --entity-type topics
tool broker-configs.txt kafka-configs --describe --all --entity-type brokers
tool cluster-configs.txt kafka-configs --describe --entity-type brokers --entity-default
tool features.txt kafka-features describe
tool quorum.txt kafka-metadata-quorum describe --replication
if [ ! -e "$folder/topics.txt" ]; then
    exit 1
fi
echo "Now: epochal audit $folder" >&2
exit "$failed"
