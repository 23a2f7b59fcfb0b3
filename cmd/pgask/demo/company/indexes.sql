-- Indexes are made after the rows are there, which is faster.
create index on accounts (tenant_id);
create index on monthly_account_arr (month);
create index on orders (account_id);
create index on orders (tenant_id, ordered_at);
create index on orders (ordered_at);
create index on order_items (product_id);
create index on support_conversations (account_id);
create index on support_conversations (tenant_id, opened_at);
analyze;
