/**
 * Streams the transitions of tasks and steps to listeners as they happen. The source is the history
 * in the database: each
 * move is sent once, in an order that a client can resume after any event. One reader per server
 * serves all of its
 * listeners; without listeners it reads nothing. The component does not depend on the transport of
 * a stream.
 *
 * <p>{@link ee.tasker.event.DomainEvents} reads the other kind of events, which templates declare
 * or the engine publishes itself: the database writes
 * them with what they follow from, and gives them their places in one feed after the commit (ADR
 * 0050, ADR 0055). {@link
 * ee.tasker.event.DomainEventStreams} streams them, {@link ee.tasker.event.TopicPublisher} sends
 * them to a topic.
 *
 * <p>A position of a stream is a bound in the sequence of transactions, below which all
 * transactions have ended ({@code
 * tasker.get_events}), and, within one read, the last event that was sent.
 */
package ee.tasker.event;
