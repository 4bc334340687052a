-- The report of inventory_report, computed by the database from the raw file instead of by the handlers.
-- $1: the content of inventory_fact_1997.json, one JSON object per line, as text. Returns one jsonb.
with raw_rows as (
  select line::jsonb as entry
  from string_to_table($1::text, E'\n') as line
  where line ~ '\S'
),
movements as (
  -- Day 1 is 1996-01-01; rows that the transformation leaves out are left out here as well.
  select to_char(date '1995-12-31' + (entry ->> 'time_id')::int, 'YYYY-MM') as month,
         (entry ->> 'warehouse_id')::int as warehouse_id,
         (entry ->> 'product_id')::int as product_id,
         (entry ->> 'units_ordered')::int as ordered,
         (entry ->> 'units_shipped')::int as shipped,
         (entry ->> 'warehouse_sales')::numeric as sales,
         (entry ->> 'warehouse_cost')::numeric as cost,
         (entry ->> 'supply_time')::int as supply_days
  from raw_rows
  where (entry ->> 'units_ordered')::int >= 1
    and (entry ->> 'units_shipped')::int <= (entry ->> 'units_ordered')::int
),
sums as (
  -- One pass gives the grand total, the months and the warehouses; grouping() tells them apart.
  select grouping(month) as is_over_months,
         grouping(warehouse_id) as is_over_warehouses,
         month,
         warehouse_id,
         jsonb_build_object(
           'row_count', count(*),
           'units_ordered', sum(ordered),
           'units_shipped', sum(shipped),
           'fill_rate', round(sum(shipped)::numeric / sum(ordered), 4),
           'sales', sum(sales),
           'cost', sum(cost),
           'margin', sum(sales) - sum(cost)) as figures
  from movements
  group by grouping sets ((), (month), (warehouse_id))
),
missing as (
  select product_id, sum(ordered - shipped) as units, count(*) as row_count
  from movements
  where shipped < ordered
  group by product_id
),
worst as (
  select product_id, units from missing order by units desc, product_id limit 10
),
durations as (
  select supply_days, count(*) as row_count from movements group by supply_days
)
select jsonb_build_object(
  'totals', (select figures from sums where is_over_months = 1 and is_over_warehouses = 1),
  'by_month', (select jsonb_agg(jsonb_build_object('month', month) || figures order by month)
               from sums where is_over_months = 0),
  'by_warehouse', (select jsonb_agg(jsonb_build_object('warehouse_id', warehouse_id) || figures order by warehouse_id)
                   from sums where is_over_warehouses = 0),
  'shortfalls', jsonb_build_object(
    'short_rows', (select sum(row_count) from missing),
    'missing_units', (select sum(units) from missing),
    'worst_products', (select jsonb_agg(jsonb_build_object('product_id', product_id, 'missing_units', units)
                                        order by units desc, product_id)
                       from worst)),
  'supply_times', jsonb_build_object(
    'mean_supply_days', (select round(sum(supply_days)::numeric / count(*), 4) from movements),
    'distribution', (select jsonb_agg(jsonb_build_object(
                              'supply_days', supply_days,
                              'row_count', row_count,
                              'share', round(row_count::numeric / (select count(*) from movements), 4))
                            order by supply_days)
                     from durations)))
