/**
 * The kill matrix: real servers and a durable PostgreSQL, killed, frozen, cut off and crashed at named points of a step's life
 * and at random, while tasks come in; then every promise is checked. {@code ./mvnw verify -Pfaults}, see docs/faults.md.
 *
 * <p>{@link ee.tasker.faults.Fault} lists what is done, {@link ee.tasker.faults.FaultPoints} stops a transaction of one server exactly
 * where the fault is to strike, by triggers that exist in the test's database only, and {@link ee.tasker.faults.Proxy} stands between
 * a server and the database, so that a commit can happen and its reply be lost.
 *
 * <p>{@link ee.tasker.faults.RollingRedeploy} and {@link ee.tasker.faults.BusinessTransactions} are what operators and applications do on a
 * {@link ee.tasker.faults.Pair} of servers of any kind, without points and proxies, under a {@link ee.tasker.faults.SteadyLoad}.
 */
package ee.tasker.faults;
