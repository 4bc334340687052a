/**
 * Webhooks: domain events that are sent to an address over HTTP. {@link ee.tasker.webhook.Webhooks}
 * is the facade. The database decides which event is
 * sent when, in which order and how often; this component sends, signs and refuses addresses that
 * it may not call. No call to a
 * receiver is made inside a transaction: {@code DeliveryLoop} claims, sends after the commit, and
 * reports the answer in another
 * transaction (ADR 0054).
 */
package ee.tasker.webhook;
