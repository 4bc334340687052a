-- The permissions of this version and the roles that come with it. A permission that is new goes
-- here and into ee.tasker.security.Permission; a test holds the two together. Roles of your own are
-- rows beside these.
insert into tasker.access_permissions (permission)
select unnest(array['*:*', 'tasks:*', 'tasks:create', 'tasks:read', 'tasks:list', 'tasks:cancel',
                    'tasks:context_read', 'tasks:act', 'tasks:signal', 'tasks:erase', 'steps:*',
                    'steps:read', 'steps:resolve', 'steps:work', 'documents:*', 'documents:open',
                    'approvals:*', 'approvals:read',
                    'approvals:decide', 'approvals:assign', 'dlq:*', 'dlq:read', 'dlq:update',
                    'dlq:stats', 'templates:*', 'templates:read', 'templates:validate',
                    'templates:register', 'templates:pause', 'policies:*', 'policies:read',
                    'policies:update', 'schedules:*', 'schedules:read', 'schedules:write',
                    'webhooks:*', 'webhooks:read', 'webhooks:write', 'messages:*',
                    'messages:read', 'messages:replay', 'system:*', 'system:handlers_read',
                    'system:analytics_read', 'system:servers_read', 'system:servers_manage',
                    'system:metrics_read', 'system:config_read', 'security:*', 'security:read',
                    'security:manage', 'security:audit_read'])
on conflict do nothing;

insert into tasker.access_roles (role, description) values
  ('admin', 'Everything, also users, keys and grants.'),
  ('operator', 'Everything about tasks, templates and the running system, nothing about users.'),
  ('submitter', 'Submits tasks, follows and cancels them.'),
  ('viewer', 'Sees tasks, templates and how the system is; not the contexts of tasks.'),
  ('approver', 'Decides approvals for which it is a candidate.'),
  ('monitor', 'Reads metrics and analytics.'),
  ('worker', 'Runs steps over the REST interface.')
on conflict (role) do nothing;

insert into tasker.access_role_permissions (role, permission)
select r.role, unnest(r.permissions)
from (
  values ('admin', array['*:*']),
         ('operator',
          array['tasks:*', 'steps:*', 'approvals:read', 'approvals:assign', 'dlq:*', 'templates:*',
                'policies:*', 'schedules:*', 'webhooks:*', 'messages:*', 'system:*']),
         ('submitter',
          array['tasks:create', 'tasks:read', 'tasks:list', 'tasks:cancel', 'tasks:context_read',
                'steps:read', 'templates:read']),
         ('viewer',
          array['tasks:read', 'tasks:list', 'steps:read', 'dlq:read', 'dlq:stats', 'templates:read',
                'policies:read', 'schedules:read', 'webhooks:read', 'messages:read',
                'system:handlers_read', 'system:analytics_read', 'system:servers_read',
                'system:metrics_read']),
         ('approver', array['approvals:read', 'approvals:decide']),
         ('monitor', array['system:metrics_read', 'system:analytics_read', 'system:servers_read']),
         ('worker', array['steps:work'])) r(role, permissions)
on conflict do nothing;
