/**
 * Who calls, and what they may do.
 *
 * <p>{@link ee.tasker.security.Authentication} turns the headers of a request into a {@link ee.tasker.security.Verdict}: a caller with
 * its grants, or why there is none. {@link ee.tasker.security.Accounts} is the door to users, API keys, roles and grants in the database.
 * Passwords are checked by the identity stores of Jakarta Security, of which {@link ee.tasker.security.UserStore} is ours. What a route
 * asks for is said in {@code rest}, which also keeps to it.
 */
package ee.tasker.security;
