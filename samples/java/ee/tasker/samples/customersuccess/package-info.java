/**
 * A support team handles a refund request. It decides whether to refund and leaves the refunding to the payments team:
 * one step starts that team's workflow of the same name in its own namespace. Both tasks are followed by the correlation
 * id of the first.
 */
package ee.tasker.samples.customersuccess;
