/**
 * The resources of accounts: users, API keys, roles, grants and sessions, the caller itself, and
 * the log of write requests. What a request may do is decided in {@code http}, which is all that
 * this package uses of this component.
 */
package ee.tasker.rest.access;
