/**
 * Idempotent requests: the response to a request with a key is stored in the transaction of its
 * effect and replayed when
 * the same request comes again. The component does not depend on HTTP or on what a request does.
 */
package ee.tasker.request;
