/** A new user: an account, then billing and preferences side by side, then the welcome and the activation. */
package ee.tasker.samples.microservices;
