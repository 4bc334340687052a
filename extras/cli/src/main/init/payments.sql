-- The tables of the entities. Run it once, or let your migration tool do so.
create schema if not exists @namespace@_data;
create table if not exists @namespace@_data.payments (
  payment_id bigint generated always as identity primary key,
  order_id   text not null,
  amount     numeric not null
);
