-- A library with two branches. A reader of branch 1 is governed: row by row it
-- may see what row level security (rls.sql) shows the login reader_b1, and
-- nothing more. Rows without a branch are nobody's.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'library_owner') THEN CREATE ROLE library_owner NOLOGIN; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'library_proxy') THEN CREATE ROLE library_proxy LOGIN BYPASSRLS; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reader_b1') THEN CREATE ROLE reader_b1 LOGIN NOINHERIT; END IF;
END $$;
CREATE SCHEMA office AUTHORIZATION library_owner;
CREATE SCHEMA "Reading Room" AUTHORIZATION library_owner;
ALTER SCHEMA public OWNER TO library_owner;
SET ROLE library_owner;

CREATE TYPE shelf_mark AS ENUM ('adult', 'child', 'rare');

CREATE TABLE titles (id int PRIMARY KEY, name text NOT NULL, mark shelf_mark NOT NULL, price numeric(8, 2));
INSERT INTO titles SELECT i, 'Title ' || i, (ARRAY['adult', 'child', 'rare']::shelf_mark[])[1 + i % 3], i * 2.5 FROM generate_series(1, 9) i;

CREATE TABLE members (id int PRIMARY KEY, branch int, name text NOT NULL, phone text, pin text, sponsor int);
INSERT INTO members SELECT i, 1 + i % 2, 'Member ' || i, '030-' || i, 'pin-' || i, CASE WHEN i > 4 THEN i - 3 END FROM generate_series(1, 20) i;
INSERT INTO members VALUES (90, NULL, 'Nobody', '030-90', 'pin-90', 1);

CREATE TABLE loans (id int PRIMARY KEY, branch int, member int REFERENCES members, title int REFERENCES titles, fee numeric(8, 2), since date NOT NULL);
INSERT INTO loans SELECT i, 1 + i % 2, i % 18 + 1, i % 9 + 1, CASE WHEN i % 7 <> 0 THEN i * 1.25 END, date '2024-01-01' + i FROM generate_series(1, 60) i;
INSERT INTO loans VALUES (99, 1, 90, 1, 3, '2024-06-01'), (98, NULL, 2, 1, 3, '2024-06-02');

CREATE TABLE "Reading Room"."Seat Plan" ("Seat No" int, branch int, "order" text);
INSERT INTO "Reading Room"."Seat Plan" SELECT i, 1 + i % 2, 'seat ' || i FROM generate_series(1, 6) i;

CREATE TABLE wages (person text, amount int);
INSERT INTO wages VALUES ('Head', 4242);
CREATE TABLE office.keys (id int, code text);
INSERT INTO office.keys VALUES (1, 'master-key');
CREATE TABLE "Members" (id int, loot text);
INSERT INTO "Members" VALUES (1, 'loot-of-all');

CREATE VIEW all_loans AS SELECT id, branch, fee FROM loans;
CREATE VIEW own_loans WITH (security_invoker = true) AS SELECT id, branch, fee FROM loans;

CREATE FUNCTION pin_of(m members) RETURNS text LANGUAGE sql STABLE AS 'SELECT x.pin FROM public.members x WHERE x.id = m.id';
CREATE FUNCTION upper(m members) RETURNS text LANGUAGE sql STABLE AS 'SELECT m.pin';
CREATE FUNCTION every_member() RETURNS SETOF members LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT * FROM public.members';
CREATE FUNCTION tell(x anyelement) RETURNS boolean LANGUAGE plpgsql COST 0.000001 AS $f$ BEGIN RAISE NOTICE 'told %', x; RETURN true; END $f$;
CREATE DOMAIN told AS int CHECK (tell(VALUE));
CREATE FUNCTION gather_step(state text, x text) RETURNS text LANGUAGE plpgsql AS $f$ BEGIN RAISE NOTICE 'told %', x; RETURN x; END $f$;
CREATE AGGREGATE gather (text) (sfunc = gather_step, stype = text);
CREATE FUNCTION tell_both(a int, b int) RETURNS boolean LANGUAGE plpgsql COST 0.000001 AS $f$ BEGIN RAISE NOTICE 'told %', a; RETURN a < b; END $f$;
CREATE OPERATOR =#= (leftarg = int, rightarg = int, function = tell_both);
CREATE COLLATION own FROM "C";
CREATE TYPE hidden_mood AS ENUM ('loot-low', 'loot-high');

-- Partitions, children, a materialized view, a sequence and a foreign table.
CREATE TABLE visits (id int NOT NULL, branch int, note text) PARTITION BY RANGE (id);
CREATE TABLE visits_early PARTITION OF visits FOR VALUES FROM (MINVALUE) TO (20);
CREATE TABLE visits_late PARTITION OF visits FOR VALUES FROM (20) TO (MAXVALUE);
INSERT INTO visits SELECT i, 1 + i % 2, CASE i % 2 WHEN 0 THEN 'here ' ELSE 'elsewhere ' END || i FROM generate_series(1, 40) i;
CREATE TABLE papers (id int, branch int, title text);
CREATE TABLE papers_sealed (seal text) INHERITS (papers);
INSERT INTO papers SELECT i, 1 + i % 2, CASE i % 2 WHEN 0 THEN 'here ' ELSE 'elsewhere ' END || i FROM generate_series(1, 8) i;
INSERT INTO papers_sealed SELECT 20 + i, 1 + i % 2, 'here ' || i, 'loot of seal ' || i FROM generate_series(1, 4) i WHERE i % 2 = 0;
CREATE MATERIALIZED VIEW fees_by_branch AS SELECT branch, sum(fee) AS fees FROM loans GROUP BY branch;
CREATE SEQUENCE loan_no START 4242;

-- Rows of other branches hold what operations fail on.
CREATE TABLE shelves (id int PRIMARY KEY, branch int, factor int, code text);
INSERT INTO shelves SELECT i, 1 + i % 2, CASE i % 2 WHEN 0 THEN 1 + i % 5 ELSE 0 END, CASE i % 2 WHEN 0 THEN (i % 7)::text ELSE '(elsewhere' END FROM generate_series(1, 12) i;
CREATE TABLE shelf_books (shelf int, book text);
INSERT INTO shelf_books SELECT 1 + i % 12, CASE (1 + i % 12) % 2 WHEN 0 THEN i::text ELSE 'elsewhere ' || i END FROM generate_series(1, 30) i;
RESET ROLE;
CREATE EXTENSION IF NOT EXISTS postgres_fdw;
CREATE SERVER far_away FOREIGN DATA WRAPPER postgres_fdw;
CREATE FOREIGN TABLE far_members (id int, name text) SERVER far_away;
GRANT USAGE ON SCHEMA public, office, "Reading Room" TO library_proxy;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public, office, "Reading Room" TO library_proxy;
