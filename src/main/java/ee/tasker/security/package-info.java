/**
 * Authentication and authorisation.
 *
 * <p>{@link ee.tasker.security.Authentication} turns the headers of a request into a {@link
 * ee.tasker.security.Verdict}: a
 * caller with its grants, or the reason why there is none. {@link ee.tasker.security.Accounts} is
 * the facade for users, API
 * keys, roles and grants in the database. Identity stores of Jakarta Security check passwords;
 * {@link
 * ee.tasker.security.UserStore} is ours. {@code rest} declares and enforces the permissions of each
 * route.
 */
package ee.tasker.security;
