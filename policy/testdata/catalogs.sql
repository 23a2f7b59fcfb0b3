-- A database in which everything that the clerk of the tests may not see has hush in its name or text.
CREATE SCHEMA hush_schema;
CREATE SCHEMA sales;
CREATE TYPE sales.shown_status AS ENUM ('new', 'paid');
CREATE TYPE sales.hush_status AS ENUM ('hush_label');
CREATE DOMAIN sales.shown_email AS text CHECK (value LIKE '%hush%') DEFAULT 'hush';
CREATE DOMAIN hush_schema.hush_domain AS text;
CREATE TYPE sales.shown_place AS (street text, town text);
CREATE TYPE sales.hush_place AS (hush_street text);
CREATE TYPE sales.shown_span AS RANGE (subtype = float8);
CREATE TYPE hush_schema.hush_span AS RANGE (subtype = float8);
CREATE COLLATION hush_schema.hush_collation (locale = 'C');
CREATE TABLE sales.shown_customers (id int PRIMARY KEY, name text COLLATE hush_schema.hush_collation NOT NULL, tenant int, email sales.shown_email);
CREATE TABLE sales.hush_table (id serial PRIMARY KEY, hush_note text DEFAULT 'hush', customer int REFERENCES sales.shown_customers);
CREATE TABLE sales.shown_orders (
    id int PRIMARY KEY, customer int CONSTRAINT shown_key REFERENCES sales.shown_customers, hush_column text CONSTRAINT hush_unique UNIQUE,
    status sales.shown_status, place sales.shown_place, span sales.shown_span, note text DEFAULT 'hush default', total numeric(10,2),
    twice numeric GENERATED ALWAYS AS (total * length('hu' || 'sh')) STORED, parts sales.hush_table[], part sales.hush_table,
    hidden int CONSTRAINT hush_key REFERENCES sales.hush_table, counted int GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME sales.hush_counted),
    CONSTRAINT hush_check CHECK (note <> 'hush'), CONSTRAINT hush_named CHECK (total > 0));
CREATE INDEX shown_index ON sales.shown_orders (customer, status);
CREATE INDEX hush_index ON sales.shown_orders (customer) INCLUDE (hush_column);
CREATE INDEX hush_partial ON sales.shown_orders (total) WHERE note = 'hush';
CREATE INDEX hush_expression ON sales.shown_orders (lower(note || 'hush'));
CREATE STATISTICS sales.hush_statistics ON customer, total FROM sales.shown_orders;
CREATE TABLE hush_schema.hush_elsewhere (hush_id int PRIMARY KEY);
CREATE TABLE public.hush_public (id int);
CREATE TABLE sales.shown_events (id int, at date) PARTITION BY RANGE (at);
CREATE TABLE sales.hush_partition PARTITION OF sales.shown_events FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE VIEW sales.shown_view AS SELECT id, customer FROM sales.shown_orders WHERE note <> 'hush';
CREATE VIEW sales.hush_view AS SELECT * FROM sales.hush_table;
CREATE MATERIALIZED VIEW sales.shown_totals AS SELECT customer, count(*) AS n FROM sales.shown_orders WHERE note <> 'hush' GROUP BY customer;
CREATE SEQUENCE sales.hush_sequence;
CREATE FUNCTION sales.shown_year(date) RETURNS int LANGUAGE sql AS 'SELECT extract(year FROM $1)::int + 0 * length(''hush'')';
CREATE FUNCTION sales.hush_function(hush_argument text DEFAULT 'hush') RETURNS int LANGUAGE sql AS 'SELECT length(''hush'')';
CREATE FUNCTION sales.hush_trigger_function() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE PROCEDURE sales.hush_procedure() LANGUAGE sql AS 'SELECT 1';
CREATE AGGREGATE sales.hush_sum(int) (sfunc = int4pl, stype = int, initcond = '0');
CREATE OPERATOR sales.%% (leftarg = text, rightarg = text, function = starts_with);
CREATE FUNCTION sales.hush_cast(sales.hush_place) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE CAST (sales.hush_place AS int) WITH FUNCTION sales.hush_cast(sales.hush_place);
CREATE TEXT SEARCH CONFIGURATION sales.hush_search (COPY = simple);
CREATE TEXT SEARCH DICTIONARY sales.hush_dictionary (TEMPLATE = simple);
CREATE TRIGGER hush_trigger BEFORE INSERT ON sales.shown_orders FOR EACH ROW EXECUTE FUNCTION sales.hush_trigger_function();
CREATE RULE hush_rule AS ON DELETE TO sales.shown_orders DO INSTEAD NOTHING;
CREATE POLICY hush_policy ON sales.shown_orders USING (note <> 'hush');
CREATE PUBLICATION hush_publication FOR TABLE sales.shown_orders;
CREATE FOREIGN DATA WRAPPER hush_wrapper OPTIONS (word 'hush');
CREATE SERVER hush_server FOREIGN DATA WRAPPER hush_wrapper OPTIONS (host 'hush');
CREATE USER MAPPING FOR CURRENT_USER SERVER hush_server OPTIONS (password 'hush');
CREATE FOREIGN TABLE sales.hush_foreign (id int) SERVER hush_server OPTIONS (word 'hush');
CREATE FOREIGN TABLE sales.shown_foreign (id int) SERVER hush_server OPTIONS (word 'hush');
COMMENT ON TABLE sales.hush_table IS 'hush';
COMMENT ON COLUMN sales.shown_orders.hush_column IS 'hush';
COMMENT ON CONSTRAINT hush_check ON sales.shown_orders IS 'hush';
COMMENT ON FUNCTION sales.hush_function(text) IS 'hush';
COMMENT ON TYPE sales.hush_status IS 'hush';
COMMENT ON SCHEMA hush_schema IS 'hush';
COMMENT ON SCHEMA public IS 'hush';
COMMENT ON INDEX sales.hush_index IS 'hush';
COMMENT ON TRIGGER hush_trigger ON sales.shown_orders IS 'hush';
COMMENT ON TABLE sales.shown_orders IS 'shown comment';
COMMENT ON COLUMN sales.shown_orders.total IS 'shown column comment';
INSERT INTO sales.shown_customers SELECT g, 'hush ' || g, g % 2, 'hush@example.com' FROM generate_series(1, 50) g;
INSERT INTO sales.shown_orders (id, customer, hush_column, status, note, total)
    SELECT g, 1 + g % 7, 'hush ' || g, 'paid', 'hush note ' || g % 3, g FROM generate_series(1, 100) g;
INSERT INTO sales.shown_events SELECT g, '2020-05-05' FROM generate_series(1, 9) g;
ANALYZE;
