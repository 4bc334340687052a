package ee.tasker.platform.thread;

import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ContextService;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Creates this application's {@link ThreadPool}s from the server's {@code ManagedThreadFactory},
 * and closes them with the
 * application. The server's managed executors are not an alternative: on Open Liberty all of them
 * share the HTTP threads
 * (ADR 0025).
 */
@ApplicationScoped
public class ThreadPools {
  @Resource
  private ManagedThreadFactory managed;

  @Resource
  private ContextService contexts;

  private final List<ThreadPool> all = new CopyOnWriteArrayList<>();

  /** @param name the purpose of the threads, which are named {@code tasker-<name>-1} and so on */
  public ThreadPool make(String name, int most) {
    AtomicInteger number = new AtomicInteger();
    ThreadFactory factory = task -> {
      Thread thread = managed.newThread(task);
      // Null when the application is stopping.
      if (thread != null) {
        thread.setName("tasker-" + name + "-" + number.incrementAndGet());
        thread.setDaemon(true);
      }
      return thread;
    };
    ThreadPool pool = new ThreadPool(name, most, factory, contexts::contextualRunnable);
    all.add(pool);
    return pool;
  }

  /** The current number of threads by pool name. */
  public Map<String, Integer> sizes() {
    Map<String, Integer> sizes = new TreeMap<>();
    all.forEach(pool -> sizes.put(pool.name(), pool.size()));
    return sizes;
  }

  @PreDestroy
  void stop() {
    all.forEach(ThreadPool::stop);
  }
}
