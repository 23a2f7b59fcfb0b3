"""What people do over ODBC with Postgres's driver."""

import sys
import threading
from decimal import Decimal

import pyodbc

host, port = sys.argv[1:3]
pyodbc.pooling = False


def connect(more=""):
    # ConnSettings are statements that the driver sends after its login.
    return pyodbc.connect(f"Driver={{PostgreSQL Unicode}};Servername={host};Port={port};Database=acme;Uid=dba;Pwd=dba;"
                          f"ConnSettings={{set application_name to 'pyodbc'}};UseServerSidePrepare=1;{more}", autocommit=True)


def expect(state, do):
    try:
        do()
    except pyodbc.Error as e:
        assert e.args[0] == state, e
        return
    raise SystemExit(f"no {state}")


conn = connect()
cur = conn.cursor()
cur.execute("truncate things")
row = (1, "naïve 'quote' \\ 🙂", Decimal("12.50"), "2020-02-29 12:00+00", bytes(range(256)), "{a,NULL,\"c,d\"}", '{"k": [1, null]}', True, 2**62, 0.1)
cur.execute("insert into things values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
got = cur.execute("select * from things where id = ?", (1,)).fetchone()
assert got[1] == row[1] and got[4] == row[4] and got[8] == row[8], got

# Prepared once, run often; then a batch, row by row and as one array.
for n in range(8):
    cur.execute("select name from things where id = ?", (n,)).fetchall()
for fast in (False, True):
    cur.fast_executemany = fast
    first = 40 if fast else 2
    cur.executemany("insert into things (id, name) values (?, ?)", [(n, f"n{n}") for n in range(first, first + 20)])
cur.fast_executemany = False

# What the driver asks of the catalogs.
assert [r.table_name for r in cur.tables(table="things", schema="public")] == ["things"]
assert len(cur.columns(table="things", schema="public").fetchall()) == 10
assert [r.column_name for r in cur.primaryKeys("things", schema="public")] == ["id"]
cur.statistics("things", schema="public").fetchall()
cur.foreignKeys("things").fetchall()
cur.getTypeInfo().fetchall()

# A cursor of the server, read in pieces.
walk = connect("UseDeclareFetch=1;Fetch=7;")
assert len(walk.cursor().execute("select id, name from things order by id").fetchall()) == 41
walk.close()

# Errors, in a transaction: the one ends it, the other is undone alone, by savepoints of the driver's own.
conn.autocommit = False
expect("22012", lambda: cur.execute("select 1/0"))
conn.rollback()
cur.execute("update things set name = ? where id = ?", ("kept", 2))
conn.commit()
conn.autocommit = True
careful = connect("Protocol=7.4-2;")
careful.autocommit = False
undone = careful.cursor()
undone.execute("update things set name = ? where id = ?", ("kept too", 3))
expect("23505", lambda: undone.execute("insert into things (id) values (?)", (1,)))
assert undone.execute("select name from things where id = ?", (3,)).fetchone()[0] == "kept too"
careful.commit()
careful.close()

# Several statements, an empty one, notices.
cur.execute("select 1; select 2 as b")
assert cur.nextset() and cur.fetchone()[0] == 2
try:
    cur.execute("")
except pyodbc.Error:
    pass
cur.execute("do $$ begin raise notice 'first'; raise warning 'second' using hint = 'a hint'; end $$")
cur.execute("set timezone = 'UTC'")
expect("42601", lambda: cur.execute("selec 1"))

# Large values.
assert len(cur.execute("select repeat('x', 1048576)::text").fetchone()[0]) > 0
assert cur.execute("select length(?)", ("y" * (1 << 20),)).fetchone()[0] == 1 << 20
assert len(cur.execute("select g, md5(g::text) from generate_series(1, 5000) g").fetchall()) == 5000

cur.execute("listen told")
cur.execute("notify told, 'own'")
cur.execute("unlisten *")


# Cancelled when the test says that it runs.
def cancel():
    sys.stdin.readline()
    cur.cancel()


thread = threading.Thread(target=cancel)
thread.start()
expect("57014", lambda: cur.execute("select pg_sleep(61)"))
thread.join()
conn.cursor().execute("select 'still there'").fetchall()
conn.close()
print("done")
