package ee.tasker.platform.sql;

import ee.tasker.platform.DatabaseFaults;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Remembers faults that make the database unusable for this server although it still answers reads,
 * or still answers on the
 * connections that the pool has: a full disk, a refused login, a pooler that loses prepared
 * statements. Each counts for a while after it was
 * last seen, and a full
 * disk until a write was possible again. Thread-safe.
 */
@ApplicationScoped
public class DatabaseUsability {
  /** Longer than the usual interval of probes, so that each sees it. */
  private static final long COUNTS_NANOS = Duration.ofSeconds(15).toNanos();

  private final LongSupplier clock;
  private Long diskFullAt;
  private Long loginRefusedAt;
  private Long statementLostAt;

  public DatabaseUsability() {
    this(System::nanoTime);
  }

  DatabaseUsability(LongSupplier clock) {
    this.clock = clock;
  }

  /** To be called with every fault of a call. */
  public void failed(Throwable fault) {
    if (DatabaseFaults.isDiskFull(fault)) {
      synchronized (this) {
        diskFullAt = clock.getAsLong();
      }
    } else if (DatabaseFaults.isLoginRefused(fault)) {
      synchronized (this) {
        loginRefusedAt = clock.getAsLong();
      }
    } else if (ServerSessions.isLostStatement(fault)) {
      synchronized (this) {
        statementLostAt = clock.getAsLong();
      }
    }
  }

  /**
   * Why the database cannot be used, as far as this server has noticed; empty when it has noticed
   * nothing lately.
   */
  public synchronized Optional<String> problem() {
    if (diskFullAt != null) {
      return Optional.of("the disk of the database is full");
    }
    if (loginRefusedAt != null && isRecent(loginRefusedAt)) {
      return Optional.of("the database refuses the login of this server");
    }
    return statementLostAt != null && isRecent(statementLostAt)
        ? Optional.of(PoolerCheck.LOST_STATEMENTS)
        : Optional.empty();
  }

  /** Whether a write should be tried to find out if the disk still is full. */
  public synchronized boolean isWriteDue() {
    return diskFullAt != null && !isRecent(diskFullAt);
  }

  /** A write that needs room was possible. */
  public synchronized void written() {
    if (isWriteDue()) {
      diskFullAt = null;
    }
  }

  private boolean isRecent(long at) {
    return clock.getAsLong() - at < COUNTS_NANOS;
  }
}
