package ee.tasker.rest;

import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An operation that acts, and that is done once however often a request with the same {@code Idempotency-Key} comes: see
 * {@link OncePerKeyInterceptor}. Everything it does must join the transaction that is there. A request without the header is
 * served as if this were not here.
 */
@InterceptorBinding
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface OncePerKey {
  /** What the answer shows, so that a kept one is shown as its caller may see it now. */
  @Nonbinding
  Visibility.Content shows() default Visibility.Content.OTHER;
}
