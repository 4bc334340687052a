/** An order from cart to confirmation, in five steps in a row. Amounts are dollars and cents; nothing real is charged:
 * the payment token decides what the gateway says. */
package ee.tasker.samples.ecommerce;
