CREATE SCHEMA other;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE other.point3 AS (x float8, y float8, z float8);
CREATE DOMAIN positive AS numeric(10,2) CHECK (value > 0);
CREATE DOMAIN cheerful AS mood CHECK (value <> 'sad');

CREATE TABLE regions (code char(4) PRIMARY KEY, name varchar(20) NOT NULL UNIQUE);
CREATE TABLE customers (
    id int PRIMARY KEY,
    region char(4) REFERENCES regions,
    mood mood,
    always cheerful,
    nickname text COLLATE "C",
    joined date,
    bio text,
    month text,
    tags text[],
    extra jsonb
);
COMMENT ON TABLE customers IS 'who buys';
COMMENT ON COLUMN customers.mood IS 'as last seen';
CREATE TABLE "Order Lines" (
    "Order" int, "Line no" int, "Unit ""Price""" positive NOT NULL, quantity int NOT NULL,
    total numeric GENERATED ALWAYS AS (quantity * 2) STORED,
    PRIMARY KEY ("Order", "Line no")
);
CREATE TABLE notes (
    "Order" int, line int, n int, note text, gone int, late int,
    UNIQUE (late) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT "note of line" FOREIGN KEY ("Order", line) REFERENCES "Order Lines" ("Order", "Line no")
);
ALTER TABLE notes DROP COLUMN gone;
CREATE UNIQUE INDEX notes_n ON notes (n) INCLUDE (note);
CREATE UNIQUE INDEX notes_partial ON notes (line) WHERE n > 0;
CREATE UNIQUE INDEX notes_expr ON notes (lower(note));
CREATE TABLE nothing ();
CREATE TABLE tags (tag text);
CREATE TABLE events (id bigint, at timestamptz NOT NULL, customer int REFERENCES customers, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE events_2025 PARTITION OF events FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE events_2026 PARTITION OF events FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE TABLE clicks (event bigint, at timestamptz, FOREIGN KEY (event, at) REFERENCES events (id, at));
CREATE TABLE other.parent (a int);
CREATE TABLE other.child (b int) INHERITS (other.parent);
CREATE VIEW happy AS SELECT id, nickname FROM customers WHERE mood = 'happy';
CREATE MATERIALIZED VIEW per_region AS SELECT region, count(*) AS n FROM customers GROUP BY region;
CREATE TEMP TABLE temporary (a int);

INSERT INTO regions VALUES ('EMEA', 'Europe'), ('APAC', 'Asia');
INSERT INTO customers SELECT g, CASE WHEN g % 3 = 0 THEN 'APAC' ELSE 'EMEA' END, 'ok', 'happy', 'nick ' || g,
    '2025-01-01'::date + g, repeat('prose ', 20) || g, to_char('2025-01-01'::date + g, 'YYYY-MM'), '{a}', '{}'
    FROM generate_series(1, 60) g;
INSERT INTO "Order Lines" SELECT g, 1, 9.5, g FROM generate_series(1, 10) g;
INSERT INTO events SELECT g, '2025-12-01'::timestamptz + g * interval '1 day', 1 FROM generate_series(1, 60) g;
REFRESH MATERIALIZED VIEW per_region;
ANALYZE;
