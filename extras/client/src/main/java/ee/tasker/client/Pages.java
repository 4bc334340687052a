package ee.tasker.client;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;

/** Iterates over a list that is read page by page. Not thread-safe. */
abstract class Pages<T> implements Iterator<T> {
  private final Deque<T> read = new ArrayDeque<>();
  private String cursor;
  private boolean last;

  /**
   * Adds a page. @param cursor null for the first one @return the cursor of the next page; absent
   * on the last one
   */
  abstract Optional<String> read(String cursor, Collection<T> read);

  @Override
  public boolean hasNext() {
    while (read.isEmpty() && !last) {
      cursor = read(cursor, read).orElse(null);
      last = cursor == null;
    }
    return !read.isEmpty();
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return read.remove();
  }
}
