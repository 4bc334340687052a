package ee.tasker.worker;

import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

/** Tries a write that needs room on the database's disk. */
@ApplicationScoped
public class StorageProbe {
  @Inject
  private SqlFunctions sql;

  @Transactional(Transactional.TxType.REQUIRES_NEW)
  public void write() {
    sql.run("check_storage()");
  }
}
