/**
 * What this server is told and who it is: the table of settings, their values as read once at the
 * start, those that an administrator may change while it runs, its roles and its identity. Uses no
 * other package of the platform.
 */
package ee.tasker.platform.config;
