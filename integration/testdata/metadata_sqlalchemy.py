"""Lets SQLAlchemy reflect everything it is shown and prints it, one line a thing.

Arguments: host, port, database, user, password, schema, table.
"""
import sys
import warnings

import sqlalchemy
from sqlalchemy import exc

warnings.simplefilter("ignore", exc.SAWarning)
host, port, database, user, password, schema, table = sys.argv[1:]
url = sqlalchemy.engine.URL.create("postgresql+psycopg2", user, password, host, int(port), database)
engine = sqlalchemy.create_engine(url)


def tell(name, *arguments, **named):
    try:
        got = getattr(inspector, name)(*arguments, **named)
    except Exception as e:  # whatever it is, the test wants to see it
        print(f"error|{name}{arguments}{named}|{str(e).splitlines()[0]}")
        return []
    for thing in got if isinstance(got, list) else [got]:
        print(f"{name}|{arguments}|{thing}")
    return got if isinstance(got, list) else []


with engine.connect() as conn:
    inspector = sqlalchemy.inspect(conn)
    for s in [None, *tell("get_schema_names")]:
        if s in ("information_schema", "pg_catalog"):
            continue
        tell("get_enums", schema=s)
        tell("get_foreign_table_names", schema=s)
        tell("get_sequence_names", schema=s)
        views = tell("get_view_names", schema=s)
        for view in views:
            tell("get_view_definition", view, schema=s)
        for t in tell("get_table_names", schema=s) + views:
            for method in ("get_columns", "get_pk_constraint", "get_foreign_keys", "get_indexes", "get_unique_constraints",
                           "get_check_constraints", "get_table_comment"):
                tell(method, t, schema=s)
        print("has_table", s, inspector.has_table(table, schema=s), inspector.has_table("hush_table", schema=s))
    meta = sqlalchemy.MetaData()
    meta.reflect(bind=conn, schema=schema, views=True)
    for t in meta.sorted_tables:
        print("reflected", t.fullname, [c.name for c in t.columns])
    reflected = meta.tables[f"{schema}.{table}"]
    for row in conn.execute(sqlalchemy.select(reflected).limit(2)):
        print("row", *row)
