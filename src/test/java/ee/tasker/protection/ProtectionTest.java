package ee.tasker.protection;

import ee.tasker.testing.DatabaseTest;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test of cases of protection on the real database; after each, what holds for all of them is
 * asserted as well: {@link MoveWitness}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@DatabaseTest
@ExtendWith(MoveWitness.class)
@interface ProtectionTest {
}
