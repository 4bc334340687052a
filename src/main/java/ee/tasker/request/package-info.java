/**
 * Requests that must not be done twice: what was answered to a request that carries a key is kept with its effect, in one
 * transaction, and is the answer to the same request again. It knows nothing of HTTP and of what a request asks for.
 */
package ee.tasker.request;
