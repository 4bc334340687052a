/**
 * The kill matrix: real servers and a durable PostgreSQL, killed, frozen, cut off and crashed at
 * named points of a step's
 * life cycle and at random, while tasks are submitted; then every promise is checked. {@code ./mvnw
 * verify -Pfaults}, see
 * docs/checking-the-product.md.
 *
 * <p>{@link ee.tasker.faults.Fault} lists the faults, {@link ee.tasker.faults.FaultPoints} stops a
 * transaction of one
 * server exactly where the fault is to strike, with triggers that exist in the test's database
 * only, and {@link
 * ee.tasker.faults.Proxy} sits between a server and the database, so that a commit can succeed
 * while its reply is lost.
 *
 * <p>{@link ee.tasker.faults.RollingRedeploy} and {@link ee.tasker.faults.BusinessTransactions}
 * perform the actions of
 * operators and applications on a {@link ee.tasker.faults.Pair} of servers of any kind, without
 * points and proxies, under a
 * {@link ee.tasker.faults.SteadyLoad}.
 */
package ee.tasker.faults;
