CREATE SCHEMA orchard;
CREATE TABLE orchard.growers (id int PRIMARY KEY, name text, region text);
CREATE TABLE orchard.trees (id int PRIMARY KEY, grower_id int REFERENCES orchard.growers, mother_id int REFERENCES orchard.trees,
	kind text, planted date, height numeric);
CREATE TABLE orchard.crops (tree_id int REFERENCES orchard.trees, season int, kilos numeric, PRIMARY KEY (tree_id, season));
CREATE TABLE orchard.tools (label text, owner text, price float8);
INSERT INTO orchard.growers VALUES (1, 'Ines', 'north'), (2, 'Jon', 'south'), (3, 'Kaya', 'north'), (4, 'Lev', NULL);
INSERT INTO orchard.trees VALUES (1, 1, NULL, 'apple', '2001-03-01', 4.5), (2, 1, 1, 'apple', '2010-03-01', 3.0), (3, 2, 1, 'pear', '2005-11-20', 5.1),
	(4, 2, 3, 'pear', NULL, 2.2), (5, 3, NULL, 'quince', '2015-04-04', 3.0);
INSERT INTO orchard.crops VALUES (1, 2020, 80), (1, 2021, 95), (2, 2020, 40), (3, 2020, 60), (3, 2021, 0), (5, 2021, 12.5);
INSERT INTO orchard.tools VALUES ('ladder', 'Ines', 90), ('saw', 'Ines', 25.5), ('saw', 'Kaya', 30), ('cart', NULL, 200);
