/**
 * What every request passes through: headers and credentials, the permission and the idempotency
 * key, the body with its limits, and the mapping of faults to problems. Beside it what resources
 * read requests and make responses with: parameters, members of bodies, filters, locations, and
 * {@link ee.tasker.rest.http.Visibility}, which removes what the caller may not see. It knows no
 * resource.
 */
package ee.tasker.rest.http;
