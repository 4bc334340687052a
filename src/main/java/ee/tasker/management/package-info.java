/**
 * How an administrator inspects and changes this server at run time: roles, capacity, poll
 * interval, drain. The management
 * bean {@code ee.tasker:type=Server} and {@code /v1/servers/{server_uuid}} offer the same values;
 * both are views of {@link
 * ee.tasker.management.ServerManagement}, which calls the facades of the worker and the poller and
 * reads those of insight.
 *
 * <p>A change is logged, appears in the registry of servers with the next heartbeat, and is lost
 * when the server stops;
 * permanent changes belong in the configuration. It affects this server only; actions that affect
 * the installation are in
 * {@code operation}.
 */
package ee.tasker.management;
