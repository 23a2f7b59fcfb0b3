#!/bin/sh
# Puts the extension vector (pgvector 0.8 or later) beside the Postgres server that
# the tests start: the distribution's package where it has one, else built from
# the source package of a later release that has it. That takes some seconds.
set -eu

# The folder of the server's programs, as integration/postgres finds it.
bin=
for dir in "$(pg_config --bindir 2>/dev/null || :)" $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t/ -k5,5nr); do
	if [ -x "$dir/initdb" ] && [ -x "$dir/postgres" ]; then
		bin=$dir
		break
	fi
done
version=$(basename "$(dirname "${bin:-/none/none}")")

# Servers from elsewhere are their owners' business.
if [ -n "${PGASK_PG_BIN:-}${PGASK_TEST_DSN:-}" ] || [ "$bin" != "/usr/lib/postgresql/$version/bin" ]; then
	exit 0
fi
lib=/usr/lib/postgresql/$version/lib
share=/usr/share/postgresql/$version/extension
[ -f "$lib/vector.so" ] && [ -f "$share/vector.control" ] && exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo "The tests need the Postgres extension vector (pgvector 0.8 or later) for PostgreSQL $version." >&2
	echo "As root on Debian or Ubuntu this script installs it." >&2
	exit 1
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update -q
offered=$(apt-cache policy "postgresql-$version-pgvector" | sed -n 's/^ *Candidate: //p')
if [ -n "$offered" ] && dpkg --compare-versions "$offered" ge 0.8; then
	echo "Installing postgresql-$version-pgvector with apt-get"
	exec apt-get install -y -q --no-install-recommends "postgresql-$version-pgvector"
fi

echo "Building pgvector for PostgreSQL $version from a source package"
# From where the machine has its own packages: a release that has it, and its key.
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -E '/(debian|ubuntu)/?$' | sort -u | head -n 1)
case "$mirror" in
*/debian | */debian/) release=trixie parts=main keyring=debian-archive-keyring key=debian-archive-keyring.gpg ;;
*/ubuntu | */ubuntu/) release=resolute parts=universe keyring=ubuntu-keyring key=ubuntu-archive-keyring.gpg ;;
*)
	echo "The tests need the Postgres extension vector (pgvector 0.8 or later) for PostgreSQL $version, and apt knows no mirror of Debian or Ubuntu to build it from." >&2
	exit 1
	;;
esac
[ -f "/usr/share/keyrings/$key" ] || apt-get install -y -q --no-install-recommends "$keyring"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p lists/partial cache/archives/partial
echo "deb-src [signed-by=/usr/share/keyrings/$key] $mirror $release $parts" >sources.list
source_of() { # an apt that knows this release's sources only, and leaves the machine's own lists alone
	apt-get -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$work/lists" \
		-o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}
source_of update
source_of source --download-only pgvector
tar xzf pgvector_*.orig.tar.gz

# The headers must be those of the very version that is installed: later ones
# call functions that it doesn't have. Installing them would bring a compiler.
headers() {
	apt-get download -q -o APT::Sandbox::User=root "postgresql-server-dev-$version=$(dpkg-query -W -f '${Version}' "postgresql-$version")"
}
headers || {
	apt-get install -y -q --only-upgrade "postgresql-$version"
	headers
}
dpkg-deb -x "postgresql-server-dev-$version"_*.deb headers
cd pgvector-*/
cc -shared -o vector.so -O2 -fPIC -ftree-vectorize -fassociative-math -fno-signed-zeros -fno-trapping-math \
	-I"$work/headers/usr/include/postgresql/$version/server" src/*.c
install -m 644 sql/vector--*--*.sql vector.control "$share/"
install -m 644 sql/vector.sql "$share/vector--$(sed -n "s/^default_version = '\(.*\)'/\1/p" vector.control).sql"
install -m 755 vector.so "$lib/"
