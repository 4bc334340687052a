/**
 * What the PostgreSQL driver of a server calls when it connects. A jar of its own beside the
 * driver, without any other class, because the driver does not see those of the application.
 */
package ee.tasker.login;
