package ee.tasker.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test class on the real database: every test starts without tasks and messages, and when it has
 * passed, the promises
 * are checked on what it left behind.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(CleanDatabase.class)
public @interface DatabaseTest {
  /** The test breaks promises on purpose, so checking them would be pointless. */
  @Target({ElementType.TYPE, ElementType.METHOD})
  @Retention(RetentionPolicy.RUNTIME)
  @interface BreaksPromises {}

  /** The functions that this class tests besides the one of its own name. */
  @Target(ElementType.TYPE)
  @Retention(RetentionPolicy.RUNTIME)
  @interface Covers {
    String[] value();
  }
}
