/**
 * Makes templates of what other engines have: templates of tasker-core, and BPMN models of
 * Camunda 7. Reads text and gives text, with a {@link Finding} for everything that is not the same
 * afterwards; speaks to no server and to no database, so it cannot say that a template will be
 * registered: {@code tasker template validate} does.
 */
package ee.tasker.cli.convert;
