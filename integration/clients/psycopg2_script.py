"""What people do with psycopg2, in one session and a listener beside it."""

import io
import select
import sys
import threading
from decimal import Decimal

import psycopg2
import psycopg2.extras
from psycopg2 import errors

host, port = sys.argv[1:3]


def connect(**more):
    return psycopg2.connect(host=host, port=port, user="dba", password="dba", dbname="acme",
                            application_name="psycopg2", options="-c work_mem=5MB -c statement_timeout=90s", **more)


def expect(kind, cur, sql, args=None):
    try:
        cur.execute(sql, args)
    except kind:
        return
    raise SystemExit(f"{sql} did not fail")


conn = connect()
cur = conn.cursor()
cur.execute("show work_mem")
assert cur.fetchone() == ("5MB",)

# Types, by literals: psycopg2 has no parameters of the protocol.
cur.execute("truncate things")
cur.execute("insert into things values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            (1, "naïve 'quote' \\ 🙂", Decimal("12.50"), "2020-02-29 12:00+00", psycopg2.Binary(bytes(range(256))),
             ["a", None, "c,d"], psycopg2.extras.Json({"k": [1, None]}), True, 2**62, 0.1))
cur.execute("select * from things")
assert cur.fetchone()[1].endswith("🙂")
psycopg2.extras.execute_values(cur, "insert into things (id, name) values %s", [(n, f"n{n}") for n in range(2, 40)])
psycopg2.extras.execute_batch(cur, "insert into things (id, name) values (%s, %s)", [(n, None) for n in range(40, 60)])
cur.executemany("update things set amount = %s where id = %s", [(n, n) for n in range(2, 8)])
conn.commit()

# PREPARE in SQL, repeated.
cur.execute("prepare p (int) as select name from things where id = $1")
for n in range(1, 8):
    cur.execute("execute p (%s)", (n,))
    cur.fetchall()
cur.execute("deallocate p")

# A cursor of the server, read in pieces.
with conn.cursor(name="walk") as walk:
    walk.itersize = 7
    walk.execute("select id, name from things order by id")
    assert sum(1 for _ in walk) == 59
conn.commit()

# COPY both ways, and one that fails in the middle.
cur.copy_expert("copy things (id, name) from stdin", io.StringIO("".join(f"{n}\tcopied {n}\n" for n in range(100, 400))))
out = io.StringIO()
cur.copy_expert("copy (select id, name from things order by id) to stdout with (format csv)", out)
assert out.getvalue().count("\n") == 359
conn.commit()
try:
    cur.copy_expert("copy things (id, name) from stdin", io.StringIO("500\tok\nno number\tx\n"))
    raise SystemExit("a bad line was copied")
except errors.InvalidTextRepresentation:
    conn.rollback()

# Errors, in a transaction and under a savepoint.
expect(errors.DivisionByZero, cur, "select 1/0")
expect(errors.InFailedSqlTransaction, cur, "select 1")
conn.rollback()
cur.execute("savepoint s")
expect(errors.UniqueViolation, cur, "insert into things (id) values (1)")
cur.execute("rollback to savepoint s")
cur.execute("release savepoint s")
cur.execute("select count(*) from things")
assert cur.fetchone() == (359,)
conn.commit()

# Without a transaction: several statements, an empty one, notices.
conn.autocommit = True
cur.execute("select 1; select 2 as b; select 3 where false")
expect(psycopg2.ProgrammingError, cur, "")
cur.execute("do $$ begin raise notice 'first'; raise warning 'second' using hint = 'a hint'; end $$")
cur.execute("set client_min_messages = warning; set timezone = 'UTC'; reset timezone")
assert [n.split(":")[0] for n in conn.notices] == ["NOTICE", "WARNING"]

# Large values.
cur.execute("select repeat('x', 1048576)")
assert len(cur.fetchone()[0]) == 1 << 20
cur.execute("select length(%s)", ("y" * (1 << 20),))
assert cur.fetchone() == (1 << 20,)
cur.execute("select g, md5(g::text) from generate_series(1, 5000) g")
assert len(cur.fetchall()) == 5000

# Notifications from oneself and from another session.
cur.execute("listen told")
cur.execute("notify told, 'own'")
conn.poll()
assert conn.notifies.pop().payload == "own"
other = connect()
other.autocommit = True
other.cursor().execute("notify told, 'other'")
other.close()
select.select([conn], [], [], 30)
conn.poll()
assert conn.notifies.pop().payload == "other"
cur.execute("unlisten *")


# Cancelled when the test says that it runs.
def cancel():
    sys.stdin.readline()
    conn.cancel()


thread = threading.Thread(target=cancel)
thread.start()
expect(errors.QueryCanceled, cur, "select pg_sleep(61)")
thread.join()
cur.execute("select 'still there'")
conn.close()
print("done")
