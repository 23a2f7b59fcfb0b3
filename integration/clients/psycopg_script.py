"""What people do with psycopg 3: parameters of the protocol, text and binary,
prepared statements, pipelines."""

import sys
import threading
from datetime import datetime, timezone
from decimal import Decimal

import psycopg
from psycopg import errors
from psycopg.types.json import Jsonb

host, port = sys.argv[1:3]
where = dict(host=host, port=port, user="dba", password="dba", dbname="acme", application_name="psycopg",
             options="-c work_mem=5MB -c statement_timeout=90s")


def expect(kind, do):
    try:
        do()
    except kind:
        return
    raise SystemExit(f"no {kind.__name__}")


conn = psycopg.connect(**where, autocommit=True)
notices = []
conn.add_notice_handler(lambda d: notices.append(d.severity))
assert conn.execute("show work_mem").fetchone() == ("5MB",)
conn.execute("truncate things")
row = (1, "naïve 'quote' \\ 🙂", Decimal("12.50"), datetime(2020, 2, 29, 12, tzinfo=timezone.utc), bytes(range(256)),
       ["a", None, "c,d"], Jsonb({"k": [1, None]}), True, 2**62, 0.1)
conn.execute("insert into things values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)", row)
for binary in (False, True):
    cur = conn.cursor(binary=binary)
    cur.execute("select * from things where id = %s", (1,))
    got = cur.fetchone()
    assert got[1] == row[1] and got[4] == row[4] and got[8] == row[8], got
    cur.execute("select %b::int8, %t::text, %s::float8[], null::date", (7, "seven", [1.5, None]))
    assert cur.fetchone()[0] == 7

# Repeated until the driver prepares it by name, then once more after the table has changed.
for n in range(8):
    conn.execute("select name from things where id = %s", (n,)).fetchall()
conn.execute("select * from things where id = %s", (1,), prepare=True)
conn.execute("alter table things add column later int")
expect(errors.FeatureNotSupported, lambda: conn.execute("select * from things where id = %s", (1,), prepare=True))
conn.execute("alter table things drop column later")
conn.execute("deallocate all")
conn.execute("select 1", prepare=True)

with conn.transaction():
    conn.cursor().executemany("insert into things (id, name) values (%s, %s)", [(n, f"n{n}") for n in range(2, 60)])

# Pipelines: one that works, and one with an error in the middle.
with conn.pipeline():
    cursors = [conn.execute("select id, name from things where id <= %s order by id", (n,)) for n in range(1, 25)]
assert [len(c.fetchall()) for c in cursors] == list(range(1, 25))


def failing():
    with conn.pipeline() as p:
        conn.execute("select %s::int", (1,))
        p.sync()
        conn.execute("insert into things (id) values (%s)", (1,))
        conn.execute("insert into things (id) values (%s)", (9999,))


expect(errors.UniqueViolation, failing)
assert conn.execute("select count(*) from things where id = 9999").fetchone() == (0,)
with conn.pipeline(), conn.transaction():
    conn.execute("update things set amount = %s where id = %s", (1, 2))

# A cursor of the server.
with conn.transaction(), conn.cursor("walk", scrollable=True) as walk:
    walk.itersize = 7
    walk.execute("select id from things where id > %s order by id", (0,))
    assert sum(1 for _ in walk) == 59
    walk.scroll(3, mode="absolute")
    assert walk.fetchmany(2) == [(4,), (5,)]

# COPY both ways, text and binary, and one that is broken off.
with conn.cursor().copy("copy things (id, name) from stdin") as copy:
    for n in range(100, 300):
        copy.write_row((n, f"copied {n}"))
with conn.cursor().copy("copy things (id, name) from stdin (format binary)") as copy:
    copy.set_types(["int4", "text"])
    for n in range(300, 400):
        copy.write_row((n, None))
with conn.cursor().copy("copy (select id, name from things order by id) to stdout (format binary)") as copy:
    copy.set_types(["int4", "text"])
    assert sum(1 for _ in copy.rows()) == 359


def broken_off():
    with conn.cursor().copy("copy things (id, name) from stdin") as copy:
        copy.write("1000\tx\n")
        raise ValueError("enough")


expect(errors.QueryCanceled, broken_off)
expect(errors.QueryCanceled, lambda: conn.execute("set statement_timeout = 500; select pg_sleep(60)"))
conn.execute("reset statement_timeout")

# Errors in a transaction, and under savepoints.
conn.autocommit = False
expect(errors.DivisionByZero, lambda: conn.execute("select 1/%s", (0,)))
expect(errors.InFailedSqlTransaction, lambda: conn.execute("select 1"))
conn.rollback()


def clash():
    with conn.transaction():
        conn.execute("insert into things (id) values (1)")


with conn.transaction():
    conn.execute("update things set name = 'kept' where id = 2")
    expect(errors.UniqueViolation, clash)
    assert conn.execute("select name from things where id = 2").fetchone() == ("kept",)
conn.rollback()
conn.autocommit = True

# Several statements, an empty one, notices.
conn.execute("select 1; select 2 as b; select 3 where false")
conn.execute("")
conn.execute("do $$ begin raise notice 'first'; raise warning 'second' using hint = 'a hint'; end $$")
conn.execute("set timezone = 'UTC'")
conn.execute("reset timezone")
assert notices == ["NOTICE", "WARNING"], notices

# Large values.
assert len(conn.execute("select repeat('x', %s)", (1 << 20,)).fetchone()[0]) == 1 << 20
assert conn.execute("select length(%s)", ("y" * (1 << 20),)).fetchone() == (1 << 20,)
assert conn.execute("select length(%b::bytea)", (bytes(1 << 20),)).fetchone() == (1 << 20,)
assert len(conn.cursor(binary=True).execute("select g, md5(g::text) from generate_series(1, %s) g", (5000,)).fetchall()) == 5000

# Notifications from oneself and from another session.
conn.execute("listen told")
conn.execute("notify told, 'own'")
with psycopg.connect(**where, autocommit=True) as other:
    other.execute("select pg_notify('told', %s)", ("other",))
heard = []
for n in conn.notifies():
    heard.append(n.payload)
    if n.payload == "other":
        break
conn.execute("unlisten *")


# Cancelled when the test says that it runs.
def cancel():
    sys.stdin.readline()
    conn.cancel()


thread = threading.Thread(target=cancel)
thread.start()
expect(errors.QueryCanceled, lambda: conn.execute("select pg_sleep(61)"))
thread.join()
conn.execute("select 'still there'")
conn.close()
print("done")
