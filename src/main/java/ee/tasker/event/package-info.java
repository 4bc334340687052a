/**
 * What happens to tasks and steps, told to those who listen while it happens. The history in the database is what is told, each
 * move once, in an order that can be taken up again after any event. One reader per server serves all who listen to it; while
 * nobody does, nothing is read. It knows nothing of how a stream travels.
 *
 * <p>A position is a bound in the sequence of transactions, below which all is over ({@code tasker.get_events}), and within
 * what was read in one go the last event that was told.
 */
package ee.tasker.event;
