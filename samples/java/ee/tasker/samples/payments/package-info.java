/**
 * Refunds a payment: eligibility, gateway, ledger, customer. Other areas start it as a task of its
 * own.
 */
package ee.tasker.samples.payments;
