/**
 * What tests are written with. On the database: a real PostgreSQL ({@link
 * ee.tasker.testing.TestDatabase}), graphs
 * ({@link ee.tasker.testing.Dag}), a worker that speaks SQL ({@link ee.tasker.testing.SqlWorker})
 * and assertions in the
 * product's words ({@link ee.tasker.testing.TaskerAssertions}). In a server: the deployment, and
 * the database under it.
 */
package ee.tasker.testing;
