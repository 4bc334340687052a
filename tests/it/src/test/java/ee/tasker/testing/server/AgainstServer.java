package ee.tasker.testing.server;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The tests of this class speak to the server that all such classes share; a {@link TaskerClient}
 * or the
 * {@link TestServer} itself comes as a parameter. It is started for the first of them and has all
 * roles.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SharedServer.class)
public @interface AgainstServer {
}
