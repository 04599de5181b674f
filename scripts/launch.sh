#!/bin/sh
# Starts the program for this machine's processor: a bundle cannot choose.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*)
	echo "perfbisect: this bundle has no program for $(uname -m), only for x86_64 and aarch64" >&2
	exit 1
	;;
esac
program=$here/perfbisect-$arch
[ -x "$program" ] || chmod +x "$program" || exit 1 # some unpackers drop the mode
exec "$program" "$@"
