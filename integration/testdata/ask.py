"""Asks through psycopg. Arguments: host, port, certificate, question. Prints the same
lines as Ask.java, for the test to look at."""

import sys
import threading

import psycopg

host, port, certificate, question = sys.argv[1:]


def connect(user):
    return psycopg.connect(host=host, port=port, user=user, password=user, dbname="acme",
                           sslmode="verify-full", sslrootcert=certificate, autocommit=True)


def ask():
    notices = []
    with connect("ana") as ana:
        ana.add_notice_handler(lambda d: notices.append(d.sqlstate))
        for binary in (False, True):
            with ana.cursor(binary=binary) as cur:
                cur.execute(f"ASK '{question}'", prepare=True)
                for column in cur.description if not binary else ():
                    print("column", column.name, ana.adapters.types[column.type_code].name)
                for row in cur:
                    print("row", " | ".join(str(value) for value in row))
            print("notice", notices[-1] if notices else "none")


def cancel():
    with connect("dba") as dba, connect("dba") as watcher:
        def stop():
            query = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(62)%' AND state = 'active'"
            while watcher.execute(query).fetchone()[0] == 0:
                pass
            dba.cancel()

        stopper = threading.Thread(target=stop)
        stopper.start()
        try:
            dba.execute("SELECT pg_sleep(62)")
            print("cancel not noticed")
        except psycopg.Error as error:
            print("cancel", error.sqlstate)
        stopper.join()
        print("after", dba.execute("SELECT 'still there'").fetchone()[0])


ask()
cancel()
