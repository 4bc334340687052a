package ee.tasker.rest.http;

import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An operation that is executed once per {@code Idempotency-Key}, however often the request comes:
 * see {@link
 * OncePerKeyInterceptor}. All its effects must join the current transaction. A request without the
 * header is served
 * normally.
 */
@InterceptorBinding
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface OncePerKey {
  /**
   * What the response shows, so that a stored response is filtered by the caller's present
   * permissions.
   */
  @Nonbinding
  Visibility.Content shows() default Visibility.Content.OTHER;
}
