package ee.tasker.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The names by which templates call a {@link StepHandler} or a {@link HandlerResolver}: {@code handler.callable} of a
 * step for the one, {@code handler.resolver} for the other. Two beans of the same kind with the same name are refused
 * at start.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Handles {
  /** One or more names, each 1 to 500 characters. */
  String[] value();
}
