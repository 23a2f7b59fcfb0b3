-- A shop, made like the one that the recorded statements of tools were made for, with things in it that the governed user may not see.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'shop_login') THEN CREATE ROLE shop_login LOGIN; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'shop_hushed') THEN CREATE ROLE shop_hushed NOLOGIN; END IF;
END $$;
CREATE SCHEMA sales;
CREATE SCHEMA hushed;
CREATE TABLE sales.customers (id serial PRIMARY KEY, name text NOT NULL, email text UNIQUE, region text DEFAULT 'hushed default', ssn text, created_at timestamptz DEFAULT now());
CREATE TABLE sales.orders (id serial PRIMARY KEY, customer_id int NOT NULL REFERENCES sales.customers, total numeric(12,2) CHECK (total >= 0), status text,
    created_at timestamptz NOT NULL DEFAULT now());
CREATE INDEX orders_customer ON sales.orders (customer_id);
CREATE INDEX customers_ssn_hushed ON sales.customers (ssn);
CREATE TABLE sales.payroll_hushed (id int PRIMARY KEY, customer_id int REFERENCES sales.customers, salary_hushed numeric);
CREATE TABLE hushed.keys (id int PRIMARY KEY, key_hushed text);
CREATE VIEW sales.v_rev AS SELECT c.region, sum(o.total) AS revenue FROM sales.orders o JOIN sales.customers c ON c.id = o.customer_id
    WHERE c.region <> 'hushed condition' GROUP BY c.region;
CREATE MATERIALIZED VIEW sales.m_rev AS SELECT status, count(*) AS n FROM sales.orders GROUP BY status;
CREATE FUNCTION sales.net(total numeric, rate numeric DEFAULT 0.19) RETURNS numeric LANGUAGE sql AS 'SELECT total * (1 - rate) /* hushed source */';
CREATE FUNCTION sales.pay_hushed() RETURNS numeric LANGUAGE sql AS 'SELECT 1.0';
CREATE TYPE sales.mood_hushed AS ENUM ('hushed label');
CREATE STATISTICS sales.statistics_hushed ON customer_id, status FROM sales.orders;
CREATE FUNCTION sales.trigger_hushed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER audit_hushed BEFORE INSERT ON sales.orders FOR EACH ROW EXECUTE FUNCTION sales.trigger_hushed();
CREATE POLICY policy_hushed ON sales.orders USING (status <> 'hushed');
CREATE PUBLICATION publication_hushed FOR ALL TABLES;
COMMENT ON TABLE sales.orders IS 'what was bought';
COMMENT ON COLUMN sales.customers.email IS 'where to write to';
COMMENT ON COLUMN sales.customers.ssn IS 'hushed comment';
COMMENT ON SCHEMA hushed IS 'hushed comment';
INSERT INTO sales.customers (name, email, region, ssn) SELECT 'customer ' || g, 'c' || g || '@example.com', (ARRAY['north', 'south'])[1 + g % 2], 'ssn hushed ' || g FROM generate_series(1, 40) g;
INSERT INTO sales.orders (customer_id, total, status) SELECT 1 + g % 40, g % 90, (ARRAY['new', 'paid'])[1 + g % 2] FROM generate_series(1, 200) g;
REFRESH MATERIALIZED VIEW sales.m_rev;
ALTER TABLE sales.customers OWNER TO shop_hushed;
GRANT USAGE ON SCHEMA sales, hushed TO shop_login;
GRANT SELECT ON ALL TABLES IN SCHEMA sales, hushed TO shop_login;
ANALYZE;
