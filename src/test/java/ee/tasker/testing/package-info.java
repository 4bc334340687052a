/** What tests of every component use: the deployment, and the database under it. */
package ee.tasker.testing;
