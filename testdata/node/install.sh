#!/bin/sh
# Installs the clients of package-lock.json into DIR (default: a folder below
# the user's cache) and prints the value for PERFBISECT_NODE_MODULES. Needs npm
# and the registry that npm is set up for; runs no install script of a package.
# With PERFBISECT_CLAUDE=1 also Claude Code, which has 390 MB.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/perfbisect-clients}
mkdir -p "$dir"
if ! cmp -s "$here/package-lock.json" "$dir/package-lock.json" || [ ! -d "$dir/node_modules" ]; then
	rm -rf "$dir/node_modules"
	cp "$here/package.json" "$here/package-lock.json" "$dir/"
	(cd "$dir" && npm install --ignore-scripts --no-audit --no-fund --loglevel=error) >&2
fi
claude=@anthropic-ai/claude-code-linux-x64
if [ "${PERFBISECT_CLAUDE:-}" = 1 ] && [ ! -x "$dir/node_modules/$claude/claude" ]; then
	(cd "$dir" && npm install --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error "$claude@2.1.332") >&2
fi
echo "$dir/node_modules"
