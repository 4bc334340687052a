/** Handlers of the sample trial_period. */
package ee.tasker.samples.subscriptions;
