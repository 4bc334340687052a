/**
 * What every component stands on: settings, the identity of this server, the way to call a SQL function, problems that a
 * caller is told about, and the log catalogue. It knows no component.
 */
package ee.tasker.platform;
