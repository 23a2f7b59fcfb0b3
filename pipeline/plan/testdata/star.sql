CREATE SCHEMA crm;
CREATE TYPE mood AS ENUM ('happy', 'neutral', 'sad');
CREATE TABLE crm.accounts (id int PRIMARY KEY, owner text);
CREATE TABLE accounts (id int PRIMARY KEY, tenant_id int NOT NULL, name text NOT NULL, region text, segment text,
    email text, mood mood, ref uuid, extra json, active bool, created_at date);
CREATE TABLE products (id int PRIMARY KEY, name text NOT NULL, category text, unit_price numeric(12,2));
CREATE TABLE orders (id int PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, tenant_id int NOT NULL,
    status text NOT NULL, ordered_at timestamptz NOT NULL, currency text);
CREATE TABLE order_items (order_id int NOT NULL REFERENCES orders, product_id int NOT NULL REFERENCES products,
    quantity int NOT NULL, unit_price numeric(12,2) NOT NULL, discount numeric NOT NULL, PRIMARY KEY (order_id, product_id));
CREATE TABLE monthly_account_arr (account_id int NOT NULL REFERENCES accounts, month date NOT NULL, arr numeric(12,2),
    PRIMARY KEY (account_id, month));
CREATE TABLE employees (id int PRIMARY KEY, name text, manager_id int CONSTRAINT employees_manager REFERENCES employees);
CREATE TABLE ports (id int PRIMARY KEY, name text);
CREATE TABLE flights (id int PRIMARY KEY, origin int CONSTRAINT flights_origin REFERENCES ports,
    destination int CONSTRAINT flights_destination REFERENCES ports);
CREATE TABLE "Order Lines" ("Order" int CONSTRAINT order_lines_order REFERENCES orders, "Line" int, "Unit Price" numeric,
    PRIMARY KEY ("Order", "Line"));
CREATE TABLE order_notes ("Order" int, "Line" int, n int, note text, PRIMARY KEY ("Order", "Line", n),
    CONSTRAINT order_notes_line FOREIGN KEY ("Order", "Line") REFERENCES "Order Lines");

INSERT INTO crm.accounts SELECT g, 'owner ' || g FROM generate_series(1, 3) g;
INSERT INTO accounts SELECT g, g % 2 + 1, 'Account ' || g, (ARRAY['AMER', 'EMEA', 'APAC', NULL])[g % 4 + 1],
    (ARRAY['enterprise', 'smb'])[g % 2 + 1], 'a' || g || '@example.com', (ARRAY['happy', 'sad'])[g % 2 + 1]::mood,
    ('00000000-0000-0000-0000-' || lpad(g::text, 12, '0'))::uuid, '{}', g % 3 = 0, '2024-01-01'::date + g * 10
    FROM generate_series(1, 40) g;
INSERT INTO products SELECT g, 'Product ' || g, (ARRAY['hardware', 'software', NULL])[g % 3 + 1],
    CASE WHEN g % 5 > 0 THEN g * 3.5 END FROM generate_series(1, 12) g;
INSERT INTO orders SELECT g, g % 35 + 1, (g % 35 + 1) % 2 + 1, (ARRAY['completed', 'completed', 'cancelled', 'refunded'])[g % 4 + 1],
    '2026-06-30 22:00:00+00'::timestamptz - g * interval '13 hours', CASE WHEN g % 7 > 0 THEN 'USD' END FROM generate_series(1, 600) g;
INSERT INTO order_items SELECT o, (o * 7 + n * 5) % 12 + 1, n + 1, ((o + n) % 9 + 1) * 2.25, (n % 3) * 0.1
    FROM generate_series(1, 590) o, generate_series(0, 2) n WHERE (o + n) % 4 > 0 ON CONFLICT DO NOTHING;
INSERT INTO monthly_account_arr SELECT a, m, a * 100 + extract(month FROM m)
    FROM generate_series(1, 30) a, generate_series('2025-01-01'::timestamp, '2026-06-01', '1 month') m
    WHERE a % 5 > 0 OR m < '2026-03-01';
INSERT INTO employees SELECT g, 'Employee ' || g, CASE WHEN g > 1 THEN g / 2 END FROM generate_series(1, 9) g;
INSERT INTO ports VALUES (1, 'Oslo'), (2, 'Rome'), (3, 'Bonn');
INSERT INTO flights VALUES (1, 1, 2), (2, 1, 3), (3, 2, 1), (4, NULL, 1);
INSERT INTO "Order Lines" SELECT o, l, o * l FROM generate_series(1, 20) o, generate_series(1, 2) l;
INSERT INTO order_notes SELECT o, 1, n, 'note ' || n FROM generate_series(1, 10) o, generate_series(1, 2) n;
ANALYZE;
