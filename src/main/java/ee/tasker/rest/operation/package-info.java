/**
 * The resources of operators: approvals, dead letters and dead messages, failures, bulk actions,
 * analytics, retention and saved views. Uses {@code http} only, of this component.
 */
package ee.tasker.rest.operation;
