/**
 * Workers outside the servers, in any language, over HTTP: their registration, claims, results and
 * heartbeats. The database
 * decides who holds which step and counts it ({@code tasker.worker_claims}); this component keeps
 * the requests that wait for
 * steps, checks results against the schemas of their templates, and notifies the other components.
 * It runs no handler.
 */
package ee.tasker.remote;
