#!/bin/sh
# Builds OUT/perfbisect.mcpb (OUT: default dist), a bundle that desktop clients
# install with a click: the program for Linux on amd64 and arm64, and a manifest
# with the tools that it lists. With URL, where the bundle will be downloaded
# from, also OUT/server.json for the MCP registry. Needs Go.
#
#   scripts/mcpb.sh [OUT [URL]]
set -eu
cd "$(dirname "$0")/.."
out=${1:-dist}
version=$(sed -n 's/^  "version": "\(.*\)".*/\1/p' server.json)
rm -rf "$out/mcpb"
mkdir -p "$out/mcpb/server"
for arch in amd64 arm64; do
	CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -trimpath -ldflags "-s -w -X main.version=$version" -o "$out/mcpb/server/perfbisect-$arch" .
done
cp scripts/launch.sh "$out/mcpb/server/"
cp README.md LICENSE "$out/mcpb/"
go run ./internal/cmd/mcpb "$out" ${2:+"$2"}
