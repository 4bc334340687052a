\set id random(1, 200000)
begin;
update item set state = 1, result = '{"v": 1}' where id = :id;
insert into history (item, from_state, to_state) values (:id, 0, 1);
commit;
