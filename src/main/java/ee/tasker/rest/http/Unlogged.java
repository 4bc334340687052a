package ee.tasker.rest.http;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An operation of the engine's ordinary work, which {@link WriteLog} leaves out: what it does is in
 * the history, under the key of
 * the worker that did it.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Unlogged {
}
