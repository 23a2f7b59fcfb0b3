#!/bin/sh
# Finds out what the tests need besides Go, a C compiler, make and git. What is
# missing is installed, as root on Debian and Ubuntu, or else named exactly.
set -eu

missing=
want() { # PACKAGE COMMAND…: the package is missing when the command fails
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}

server() {
	[ -n "${PGASK_PG_BIN:-}${PGASK_TEST_DSN:-}" ] && return 0
	for dir in "$(pg_config --bindir 2>/dev/null)" /usr/lib/postgresql/*/bin "$(dirname "$(command -v postgres || echo /)")"; do
		[ -x "$dir/initdb" ] && [ -x "$dir/postgres" ] && return 0
	done
	return 1
}

find_missing() {
	missing=
	want postgresql server
	want postgresql-client command -v psql
	want default-jdk-headless sh -c 'command -v java && command -v javac'
	want libpostgresql-jdbc-java test -e /usr/share/java/postgresql.jar
	want python3-psycopg /usr/bin/python3 -c 'import psycopg'
	want python3-psycopg2 /usr/bin/python3 -c 'import psycopg2'
	want python3-sqlalchemy /usr/bin/python3 -c 'import sqlalchemy'
	want python3-pyodbc /usr/bin/python3 -c 'import pyodbc'
	want odbc-postgresql grep -qs 'PostgreSQL Unicode' /etc/odbcinst.ini
	want nodejs command -v node
	want npm command -v npm
}

# The node packages are pinned in integration/clients and live outside the source
# tree, in the user's cache.
modules=${XDG_CACHE_HOME:-$HOME/.cache}/pgask/clients
pinned=$(dirname "$0")/clients

node_clients() {
	cmp -s "$pinned/package-lock.json" "$modules/node_modules/.pinned" && return 0
	echo "Installing with npm into $modules: pg, pg-cursor, postgres, vega, vega-lite"
	mkdir -p "$modules"
	cp "$pinned/package.json" "$pinned/package-lock.json" "$modules"
	(cd "$modules" && npm ci --no-audit --no-fund --ignore-scripts) || {
		echo "The tests need the npm packages of $pinned/package.json, and npm could not install them." >&2
		exit 1
	}
	cp "$pinned/package-lock.json" "$modules/node_modules/.pinned"
}

rest() { # what no package of the list is
	"$(dirname "$0")/pgvector.sh"
	node_clients
}

find_missing
[ -n "$missing" ] || { rest; exit 0; }

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo "The tests need these Debian or Ubuntu packages, or the same from elsewhere:$missing" >&2
	echo "As root on Debian or Ubuntu this script installs them." >&2
	exit 1
fi

echo "Installing with apt-get:$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# The list is meant to be split into words.
# shellcheck disable=SC2086
apt-get install -y -q --no-install-recommends $missing

find_missing
[ -z "$missing" ] || { echo "Still missing after the installation:$missing" >&2; exit 1; }
rest
