-- breaking-change: no
-- The values of the context by which tasks of a template are found. Templates say which; those that are registered say none, so there is nothing to fill in.

alter table tasker.named_tasks add column search_attributes jsonb
  constraint search_attributes_are_an_object check (jsonb_typeof(search_attributes) = 'object');
comment on column tasker.named_tasks.search_attributes is 'The key search_attributes of the template: by name the path in the context; null when there is none.';

create table tasker.task_search_attributes (
  task_uuid uuid         not null,
  name      varchar(63)  not null,
  value     varchar(256) not null,
  primary key (task_uuid, name)
);
-- In the order in which list_tasks gives pages.
create index task_search_attributes_value_idx on tasker.task_search_attributes (name, value, task_uuid desc);
comment on table tasker.task_search_attributes is 'The values of contexts by which tasks are found: what write_search_attributes took out of task_contexts.';
comment on column tasker.task_search_attributes.name is 'One of the names in named_tasks.search_attributes.';
comment on column tasker.task_search_attributes.value is 'The value under the path of the name: a string without quotes, a number, true or false. What is missing or null has no row.';
