package ee.tasker.platform;

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
 * Makes this application's {@link ThreadPool}s, of threads of the server's {@code ManagedThreadFactory}, and ends them with the application. The managed
 * executors of a server are no alternative: on Open Liberty all of them share the threads of HTTP (ADR 0025).
 */
@ApplicationScoped
public class ThreadPools {
  @Resource
  private ManagedThreadFactory managed;

  @Resource
  private ContextService contexts;

  private final List<ThreadPool> all = new CopyOnWriteArrayList<>();

  /** @param name what its threads do; they are called {@code tasker-<name>-1} and so on */
  public ThreadPool make(String name, int most) {
    AtomicInteger number = new AtomicInteger();
    ThreadFactory factory = task -> {
      Thread thread = managed.newThread(task);
      // None, when the application is going down.
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

  /** How many threads there are now, by the name of their pool. */
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
