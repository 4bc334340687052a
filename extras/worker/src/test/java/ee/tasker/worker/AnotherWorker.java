package ee.tasker.worker;

import ee.tasker.dispatch.Permits;

/** What the jar must not have: for {@link WorkerJarTest}, which shows that it would be noticed. */
final class AnotherWorker {
  private final Permits permits;

  AnotherWorker(Permits permits) {
    this.permits = permits;
  }

  Permits permits() {
    return permits;
  }
}
