package ee.tasker.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The names by which templates refer to a {@link StepHandler} ({@code handler.callable} of a step)
 * or a {@link
 * HandlerResolver} ({@code handler.resolver}). The application does not start with two beans of the
 * same kind and name.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Handles {
  /** One or more names, each 1 to 500 characters. */
  String[] value();
}
