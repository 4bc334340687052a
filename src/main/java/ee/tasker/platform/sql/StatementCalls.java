package ee.tasker.platform.sql;

import java.time.Duration;

/**
 * How {@link SqlFunctions} reaches the database: with the product's own persistence unit, or, in an
 * application that has the worker as a library, with a data source of the application's (ADR 0091).
 */
interface StatementCalls {
  /**
   * Runs a statement in the current JTA transaction. A connection that leads to a database which
   * may only be read is not used again.
   *
   * @param sql       with a question mark for each argument
   * @param most      the time after which the database gives the statement up
   * @param arguments text, numbers, truth values and null
   * @return the value of its only column in its only row
   * @throws jakarta.persistence.PersistenceException with what the database answered as a cause
   */
  Object value(String sql, Duration most, Object... arguments);
}
