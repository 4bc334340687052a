package ee.tasker.platform.sql;

import ee.tasker.platform.DatabaseFaults;
import jakarta.enterprise.context.Dependent;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.PersistenceException;
import jakarta.persistence.Query;
import java.sql.Connection;
import java.time.Duration;

/** The way of the product's WAR, which has a persistence unit. */
@Dependent
class EntityManagerCalls implements StatementCalls {
  @PersistenceContext(unitName = "tasker")
  private EntityManager entityManager;

  @Override
  public Object value(String sql, Duration most, Object... arguments) {
    Query query = entityManager.createNativeQuery(numbered(sql));
    // Before the connection counts as dead, whose call the database would go on with.
    query.setHint("jakarta.persistence.query.timeout", (int) most.toMillis());
    for (int i = 0; i < arguments.length; i++) {
      query.setParameter(i + 1, arguments[i]);
    }
    try {
      return query.getSingleResult();
    } catch (PersistenceException fault) {
      if (DatabaseFaults.isReadOnly(fault)) {
        ReadOnlyConnection.discard(() -> entityManager.unwrap(Connection.class), fault);
      }
      throw fault;
    }
  }

  private static String numbered(String sql) {
    StringBuilder numbered = new StringBuilder(sql.length() + 16);
    int position = 0;
    for (int i = 0; i < sql.length(); i++) {
      char c = sql.charAt(i);
      numbered.append(c);
      if (c == '?') {
        numbered.append(++position);
      }
    }
    return numbered.toString();
  }
}
