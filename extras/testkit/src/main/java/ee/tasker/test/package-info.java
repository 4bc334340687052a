/**
 * Tests of workflows with JUnit, against a real PostgreSQL and without an application server. Begin
 * with {@link ee.tasker.test.TaskerTest}.
 */
package ee.tasker.test;
