/** Handlers of the sample nightly_report. */
package ee.tasker.samples.reports;
