/**
 * A new user: an account, then billing and preferences in parallel, then the welcome and the
 * activation.
 */
package ee.tasker.samples.microservices;
