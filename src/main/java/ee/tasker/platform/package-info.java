/**
 * The base of every component: settings, the identity of this server, calls of SQL functions,
 * problems returned to callers,
 * and the log catalogue. It depends on no component.
 */
package ee.tasker.platform;
