"""Looks at the admin database through psycopg. Arguments: host, port, certificate."""

import sys

import psycopg

host, port, certificate = sys.argv[1:]

with psycopg.connect(host=host, port=port, user="dba", password="dba", dbname="pgask",
                     sslmode="verify-full", sslrootcert=certificate) as dba:
    for binary in (False, True):
        with dba.cursor(binary=binary) as cur:  # the first one begins a transaction
            cur.execute("SHOW CLIENTS", prepare=binary)
            mine = [row for row in cur.fetchall() if row[2] == "pgask"]
            print("client", mine[0][1], mine[0][3], isinstance(mine[0][0], int), len(mine))
    try:
        dba.execute("DROP TABLE everything")
    except psycopg.Error as e:
        print("error", e.sqlstate)
    dba.rollback()
    with dba.pipeline():
        version, databases = dba.execute("SHOW VERSION"), dba.execute("SELECT * FROM databases")
    print("version", version.fetchone()[0].split()[0])
    print("database", databases.fetchone()[0])
