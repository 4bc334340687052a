package ee.tasker.rest;

import ee.tasker.security.Permission;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a caller needs for a resource method, and where. A method that has neither this nor {@link ForEveryCaller} is open to nobody. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Requires {
  Permission value();

  Scope in();

  /** Where a permission has to be held. */
  enum Scope {
    /** In all namespaces: what it is about belongs to none, or to all. */
    EVERYWHERE,
    /** In some namespace; the method asks {@link Access} for the one that it finds in the body, or shows only what may be seen. */
    ASKED,
    /** In that of the path parameter {@code namespace}. */
    NAMESPACE,
    /** In that of the task {@code task_uuid}. */
    TASK,
    /** In that of the dead letter {@code dlq_entry_uuid}. */
    DEAD_LETTER,
    /** In that of the concurrency policy {@code policy_uuid}. */
    POLICY,
    /** In the one that the bulk action {@code token} is kept to. */
    BULK_ACTION
  }
}
