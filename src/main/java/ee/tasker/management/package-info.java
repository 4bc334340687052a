/**
 * What an administrator sees of this server, and changes while it runs: roles, capacity, poll interval, drain. By the management
 * bean {@code ee.tasker:type=Server} and by {@code /v1/servers/{server_uuid}}, with the same values; both are views of
 * {@link ee.tasker.management.ServerManagement}. It acts through the doors of the worker and the poller and reads those of insight.
 *
 * <p>A change is logged, shows in the registry of servers with the next heartbeat, and is forgotten when the server stops: what is
 * to last is configuration. It concerns this server only; what concerns all is in {@code operation}.
 */
package ee.tasker.management;
