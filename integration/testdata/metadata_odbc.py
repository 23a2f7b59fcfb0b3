"""Calls the catalog functions of ODBC and prints what they give, one line a row.

Arguments: host, port, database, user, password, schema, table.
"""
import sys

import pyodbc

host, port, database, user, password, schema, table = sys.argv[1:]
conn = pyodbc.connect(
    f"Driver={{PostgreSQL Unicode}};Server={host};Port={port};Database={database};Uid={user};Pwd={password};SSLmode=disable",
    autocommit=True)
calls = []
for s, t in ((schema, table), (None, None)):
    calls += [
        ("tables", dict(schema=s, table=t)),
        ("columns", dict(schema=s, table=t)),
        ("statistics", dict(schema=s, table=t or table)),
        ("primaryKeys", dict(schema=s, table=t or table)),
        ("foreignKeys", dict(schema=s, table=t or table)),
        ("foreignKeys", dict(foreignSchema=s, foreignTable=t or table)),
        ("rowIdColumns", dict(schema=s, table=t or table)),
        ("rowVerColumns", dict(schema=s, table=t or table)),
        ("procedures", dict(schema=s)),
        ("procedureColumns", dict(schema=s)),
    ]
calls.append(("tables", dict(catalog="%", schema="", table="")))
calls.append(("tables", dict(catalog="", schema="%", table="")))
calls.append(("tables", dict(tableType="TABLE,VIEW")))
calls.append(("getTypeInfo", {}))
for name, arguments in calls:
    arguments = {k: v for k, v in arguments.items() if v is not None}
    cursor = conn.cursor()
    try:
        for row in getattr(cursor, name)(**arguments).fetchall():
            print("|".join([name] + [str(cell) for cell in row]))
    except pyodbc.Error as e:
        print(f"error|{name}{arguments}|{e.args[-1]}")
