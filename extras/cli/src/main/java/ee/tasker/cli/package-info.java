/**
 * The command line {@code tasker}: an operator's and a workflow developer's daily work, over the
 * REST interface.
 *
 * <p>{@link ee.tasker.cli.Tasker} is the program, {@link ee.tasker.cli.Commands} the table of its
 * commands. Most of them are one
 * {@link ee.tasker.client.Operation} each and consist of their parameters and a view of the answer
 * only ({@link ee.tasker.cli.Command});
 * the others have a class of their own.
 *
 * <p>Not here: decisions. The server checks what it is sent, and the command prints what it
 * answers.
 */
package ee.tasker.cli;
