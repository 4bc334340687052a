package ee.tasker.platform.load;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Items that wait, served by namespace in turns, and within a namespace in the order of their
 * arrival: however many items one namespace has, the others wait for one service of it at most.
 * Thread-safe.
 */
public final class RoundRobin<T> {
  /** The namespace that is next comes first. */
  private final Map<String, Deque<T>> waiting = new LinkedHashMap<>();
  private int size;

  public synchronized void add(String namespace, T item) {
    waiting.computeIfAbsent(namespace, first -> new ArrayDeque<>()).add(item);
    size++;
  }

  public List<T> take(int most) {
    return take(most, namespace -> true);
  }

  /**
   * The first items of the first namespace that may be served, which comes last then; none when
   * there is no such namespace.
   */
  public synchronized List<T> take(int most, Predicate<String> mayBeServed) {
    Iterator<Map.Entry<String, Deque<T>>> namespaces = waiting.entrySet().iterator();
    while (namespaces.hasNext()) {
      Map.Entry<String, Deque<T>> next = namespaces.next();
      if (mayBeServed.test(next.getKey())) {
        namespaces.remove();
        List<T> taken = new ArrayList<>();
        while (taken.size() < most && !next.getValue().isEmpty()) {
          taken.add(next.getValue().poll());
        }
        size -= taken.size();
        if (!next.getValue().isEmpty()) {
          waiting.put(next.getKey(), next.getValue());
        }
        return taken;
      }
    }
    return List.of();
  }

  /**
   * One item of each namespace in turn, at most that many, and none after those that weigh so much
   * together.
   */
  public List<T> takeInTurns(int most, long enough, ToLongFunction<T> weight) {
    List<T> taken = new ArrayList<>();
    long weighs = 0;
    for (List<T> next; taken.size() < most && weighs < enough && !(next = take(1)).isEmpty();) {
      taken.addAll(next);
      weighs += weight.applyAsLong(next.get(0));
    }
    return taken;
  }

  /** Of the first items of all namespaces, the least. */
  public synchronized Optional<T> first(Comparator<T> order) {
    return waiting.values().stream().map(Deque::peek).min(order);
  }

  /** The least value of the namespaces that have items; empty when there are none. */
  public synchronized OptionalLong least(ToLongFunction<String> value) {
    return waiting.keySet().stream().mapToLong(value).min();
  }

  /** @return false when the item does not wait any more */
  public synchronized boolean remove(String namespace, T item) {
    Deque<T> items = waiting.get(namespace);
    if (items == null || !items.remove(item)) {
      return false;
    }
    size--;
    if (items.isEmpty()) {
      waiting.remove(namespace);
    }
    return true;
  }

  public synchronized int size(String namespace) {
    Deque<T> items = waiting.get(namespace);
    return items == null ? 0 : items.size();
  }

  public synchronized int size() {
    return size;
  }

  public boolean isEmpty() {
    return size() == 0;
  }
}
