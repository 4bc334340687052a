package ee.tasker.platform.sql;

import ee.tasker.platform.DatabaseFaults;
import jakarta.annotation.Resource;
import jakarta.enterprise.context.Dependent;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.PersistenceException;
import jakarta.persistence.PersistenceUnit;
import jakarta.persistence.Query;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.time.Duration;

/**
 * The way of the product's WAR, which has a persistence unit. In a transaction the server's entity
 * manager; without one, for reading, one of its own for each call: Payara keeps its entity manager
 * in the thread's invocation until that ends, and may share it with the invocation of another
 * thread, which would find it closed.
 */
@Dependent
class EntityManagerCalls implements StatementCalls {
  @PersistenceContext(unitName = "tasker")
  private EntityManager ofTransaction;

  @PersistenceUnit(unitName = "tasker")
  private EntityManagerFactory factory;

  @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
  private TransactionSynchronizationRegistry transactions;

  @Override
  public Object value(String sql, Duration most, Object... arguments) {
    if (transactions.getTransactionStatus() != Status.STATUS_NO_TRANSACTION) {
      return value(ofTransaction, sql, most, arguments);
    }
    try (EntityManager own = factory.createEntityManager()) {
      return value(own, sql, most, arguments);
    }
  }

  private static Object value(EntityManager entityManager, String sql, Duration most,
      Object... arguments) {
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
