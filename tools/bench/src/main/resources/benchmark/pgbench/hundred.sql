\set id random(1, 199900)
with moved as (update item set state = 1, result = '{"v": 1}' where id between :id and :id + 99 returning id) insert into history (item, from_state, to_state) select id, 0, 1 from moved;
