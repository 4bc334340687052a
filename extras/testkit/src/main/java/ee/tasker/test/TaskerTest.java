package ee.tasker.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * For a test class or method whose methods have a parameter of type {@link Tasker}: each test gets
 * one of its own, with an empty database of its own, and it
 * is closed after the test. Tests may run in parallel.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(TaskerExtension.class)
public @interface TaskerTest {
}
