-- The tables of the sample company, made by their owner.
create table accounts (
    id         int primary key,
    tenant_id  int not null check (tenant_id in (1, 2)),
    name       text not null,
    region     text not null check (region in ('AMER', 'EMEA', 'APAC')),
    country    text not null,
    segment    text not null check (segment in ('SMB', 'Mid-Market', 'Enterprise')),
    email      text not null,
    tax_id     text not null,
    created_at timestamptz not null
);
comment on table accounts is 'Customers of the two tenants, one row each';
comment on column accounts.tenant_id is 'The tenant whose customer it is';
comment on column accounts.region is 'Sales region: AMER, EMEA or APAC';
comment on column accounts.segment is 'Size of the customer: SMB, Mid-Market or Enterprise';
comment on column accounts.email is 'Where invoices go';
comment on column accounts.tax_id is 'Tax number; confidential';
comment on column accounts.created_at is 'When it became a customer';

create table monthly_account_arr (
    account_id int not null references accounts (id),
    month      date not null,
    arr        numeric(12, 2) not null,
    primary key (account_id, month)
);
comment on table monthly_account_arr is 'Annual recurring revenue of each account at the end of each month, in USD: a stock, never to be summed over months';
comment on column monthly_account_arr.month is 'First day of the month';
comment on column monthly_account_arr.arr is 'Annual recurring revenue in USD';

create table products (
    id         int primary key,
    name       text not null unique,
    category   text not null,
    unit_price numeric(10, 2) not null
);
comment on table products is 'What the company sells';
comment on column products.unit_price is 'List price today, in USD';

create table orders (
    id         bigint primary key,
    account_id int not null references accounts (id),
    tenant_id  int not null,
    status     text not null check (status in ('completed', 'cancelled', 'refunded')),
    ordered_at timestamptz not null,
    currency   text not null
);
comment on table orders is 'Orders of the accounts; only completed ones are revenue';
comment on column orders.status is 'completed, cancelled or refunded';
comment on column orders.currency is 'What the customer pays in; amounts are kept in USD';

create table order_items (
    order_id   bigint not null references orders (id),
    product_id int not null references products (id),
    quantity   int not null check (quantity > 0),
    unit_price numeric(10, 2) not null,
    discount   numeric(4, 2) not null check (discount between 0 and 1),
    primary key (order_id, product_id)
);
comment on table order_items is 'Lines of the orders; revenue is quantity * unit_price * (1 - discount)';
comment on column order_items.unit_price is 'Price at the time of the order, in USD';
comment on column order_items.discount is 'Rate from 0 to 1';

create table support_conversations (
    id         bigint primary key,
    account_id int not null references accounts (id),
    tenant_id  int not null,
    opened_at  timestamptz not null,
    closed_at  timestamptz,
    channel    text not null,
    subject    text not null,
    body       text not null
);
comment on table support_conversations is 'Support cases of the accounts';
comment on column support_conversations.closed_at is 'Null while the case is open';
comment on column support_conversations.channel is 'email, chat, phone or portal';

create table payroll (
    id          int primary key,
    employee_no text not null unique,
    department  text not null,
    title       text not null,
    salary      numeric(12, 2) not null,
    bonus       numeric(12, 2) not null,
    hired_on    date not null
);
comment on table payroll is 'Salaries; for nobody but human resources';
