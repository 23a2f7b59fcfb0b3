-- The oracle: what reader_b1 may see by Postgres's own means. A mask can't be
-- granted, so a view of the same name stands first in its search_path.
GRANT USAGE ON SCHEMA public, "Reading Room" TO reader_b1;
ALTER TABLE loans ENABLE ROW LEVEL SECURITY;
CREATE POLICY branch ON loans FOR SELECT TO reader_b1 USING (branch = 1);
ALTER TABLE "Reading Room"."Seat Plan" ENABLE ROW LEVEL SECURITY;
CREATE POLICY branch ON "Reading Room"."Seat Plan" FOR SELECT TO reader_b1 USING (branch = 1);
ALTER TABLE visits ENABLE ROW LEVEL SECURITY;
CREATE POLICY branch ON visits FOR SELECT TO reader_b1 USING (branch = 1);
ALTER TABLE papers ENABLE ROW LEVEL SECURITY;
CREATE POLICY branch ON papers FOR SELECT TO reader_b1 USING (branch = 1);
ALTER TABLE shelves ENABLE ROW LEVEL SECURITY;
CREATE POLICY branch ON shelves FOR SELECT TO reader_b1 USING (branch = 1);
ALTER TABLE shelf_books ENABLE ROW LEVEL SECURITY;
CREATE POLICY branch ON shelf_books FOR SELECT TO reader_b1 USING (EXISTS (SELECT 1 FROM shelves s WHERE s.id = shelf));
GRANT SELECT ON titles, loans, own_loans, visits, papers, shelves, shelf_books, "Reading Room"."Seat Plan" TO reader_b1;
CREATE SCHEMA masked AUTHORIZATION library_owner;
GRANT USAGE ON SCHEMA masked TO reader_b1;
CREATE VIEW masked.members WITH (security_barrier = true) AS
  SELECT id, branch, name, left(phone, 3) || '-***' AS phone, sponsor FROM public.members WHERE branch = 1;
GRANT SELECT ON masked.members TO reader_b1;
ALTER ROLE reader_b1 SET search_path = masked, public;
