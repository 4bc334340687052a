/**
 * A purchase is approved by whom its amount asks for; the template decides that by rules, no
 * handler does.
 */
package ee.tasker.samples.approvals;
