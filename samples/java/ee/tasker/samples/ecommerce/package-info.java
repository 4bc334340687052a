/**
 * An order from cart to confirmation, in five sequential steps. Amounts are dollars and cents;
 * nothing real is charged: the
 * payment token selects the gateway's answer.
 */
package ee.tasker.samples.ecommerce;
