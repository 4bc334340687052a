package ee.tasker.event;

/**
 * Adapts the number of transactions per read, so that a read returns neither very many events nor
 * very few. Not thread-safe.
 */
final class ReadSpan {
  private static final int MANY = 2_000;
  private static final int FEW = 500;
  private static final long MOST = 1_000_000;

  private long size = 256;

  long size() {
    return size;
  }

  void adapt(int events) {
    if (events > MANY) {
      size = Math.max(1, size / 2);
    } else if (events < FEW) {
      size = Math.min(MOST, size * 2);
    }
  }
}
