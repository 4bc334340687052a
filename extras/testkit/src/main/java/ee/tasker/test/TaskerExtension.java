package ee.tasker.test;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives a test its {@link Tasker}; see {@link TaskerTest}. */
public final class TaskerExtension implements ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace
      .create(TaskerExtension.class);

  /** Closed by JUnit with the context of the test. */
  private record Opened(Tasker tasker) implements ExtensionContext.Store.CloseableResource {
    @Override
    public void close() {
      tasker.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Tasker.class;
  }

  @Override
  public Tasker resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context.getStore(NAMESPACE)
        .getOrComputeIfAbsent(Tasker.class, type -> new Opened(Tasker.open()), Opened.class)
        .tasker();
  }
}
