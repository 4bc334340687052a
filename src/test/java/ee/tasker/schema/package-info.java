/**
 * What holds for the schema as a whole: its dump for readers, and the settings that its functions
 * give the planner.
 */
package ee.tasker.schema;
