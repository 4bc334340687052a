/**
 * HTTP: the JAX-RS application below {@code /v1} and the pages beside it. No other component
 * imports it. Paths and fields are described in {@code openapi.yaml}, which a test compares with
 * these classes.
 *
 * <ul>
 * <li>{@link ee.tasker.rest.http} is what every request passes through and every resource uses.
 * <li>{@link ee.tasker.rest.task}, {@link ee.tasker.rest.work}, {@link ee.tasker.rest.operation},
 * {@link ee.tasker.rest.access} and {@link ee.tasker.rest.stream} have the resources: each reads a
 * request, calls one facade and returns its answer. They use {@code http} and do not know each
 * other.
 * <li>This package lists their classes for the application. No room uses it.
 * </ul>
 */
package ee.tasker.rest;
