/** The command line of {@code extras/cli}, as a process against a server. */
package ee.tasker.cli;
