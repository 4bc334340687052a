package ee.tasker.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.opentelemetry.api.OpenTelemetry;
import jakarta.enterprise.inject.Instance;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class TracingTest {

  @Test
  void server_without_the_classes_of_opentelemetry_makes_no_spans() throws Exception {
    Class<?> door = new WithoutOpenTelemetry().loadClass(Tracing.class.getName());
    Method find = door.getDeclaredMethod("find", Instance.class);
    find.setAccessible(true);

    assertThat(find.invoke(null, offering(OpenTelemetry.noop()))).isNull();
  }

  @Test
  void server_that_has_it_switched_off_makes_no_spans() {
    assertThat(Tracing.find(offering(OpenTelemetry.noop()))).isNull();
    assertThat(Tracing.find(offering(null))).isNull();
  }

  @Test
  void one_that_cannot_be_used_is_as_none() {
    Instance<Object> broken = beans((proxy, method, arguments) -> {
      throw new Broken();
    });

    assertThat(Tracing.find(broken)).isNull();
  }

  @Test
  void attempt_without_spans_allocates_nothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long empty = allocated(threads, thread, 0);
    allocated(threads, thread, 20_000);

    assertThat(allocated(threads, thread, 20_000)).isEqualTo(empty);
  }

  private static long allocated(ThreadMXBean threads, long thread, int rounds) {
    long before = threads.getThreadAllocatedBytes(thread);
    for (int i = 0; i < rounds; i++) {
      TraceSpan span = TraceSpan.NONE;
      try (TraceSpan.Current current = span.makeCurrent()) {
        span.threw(null);
      }
      span.fail("permanent_failure", "type", "message");
      span.end("success");
    }
    return threads.getThreadAllocatedBytes(thread) - before;
  }

  /** The beans of a server that has this one, or null for none. */
  private static Instance<Object> offering(OpenTelemetry telemetry) {
    return beans((proxy, method, arguments) -> switch (method.getName()) {
      case "select" -> proxy;
      case "isResolvable" -> telemetry != null;
      case "get" -> telemetry;
      default -> throw new UnsupportedOperationException(method.getName());
    });
  }

  @SuppressWarnings("unchecked")
  private static Instance<Object> beans(InvocationHandler answers) {
    return (Instance<Object>) Proxy.newProxyInstance(TracingTest.class.getClassLoader(),
        new Class<?>[]{Instance.class}, answers);
  }

  /** Leaves no stack trace in the log. */
  private static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken() {
      super("on purpose", null, false, false);
    }
  }

  /** Sees this component's classes anew, and none of OpenTelemetry. */
  private static final class WithoutOpenTelemetry extends ClassLoader {

    WithoutOpenTelemetry() {
      super(TracingTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("io.opentelemetry.")) {
        throw new ClassNotFoundException(name);
      }
      if (!name.startsWith(Tracing.class.getPackageName() + ".")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> known = findLoadedClass(name);
        return known == null ? define(name) : known;
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = file.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
