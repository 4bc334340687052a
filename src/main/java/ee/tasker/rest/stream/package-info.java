/**
 * The resources of events: streams of server-sent events, pages of domain events, and the webhooks
 * that send them. Uses {@code http} only, of this component.
 */
package ee.tasker.rest.stream;
