\set id random(1, 200000)
update item set state = 1, result = '{"v": 1}' where id = :id;
