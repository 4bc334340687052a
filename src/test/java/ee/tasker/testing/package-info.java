/**
 * What tests on the database are written with: a real PostgreSQL ({@link ee.tasker.testing.TestDatabase}), graphs
 * ({@link ee.tasker.testing.Dag}), a worker that speaks SQL ({@link ee.tasker.testing.SqlWorker}) and assertions in the
 * product's words ({@link ee.tasker.testing.TaskerAssertions}). It knows the database and nothing of the application.
 */
package ee.tasker.testing;
