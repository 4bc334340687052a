/**
 * A support team handles a refund request. It decides whether to refund and delegates the refund to
 * the payments team: one
 * step starts that team's workflow of the same name in its own namespace. The correlation id of the
 * first task links both.
 */
package ee.tasker.samples.customersuccess;
