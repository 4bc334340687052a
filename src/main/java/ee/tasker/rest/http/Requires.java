package ee.tasker.rest.http;

import ee.tasker.security.Permission;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The permission that a resource method requires, and its scope. A method that has neither this nor
 * {@link ForEveryCaller}
 * is closed to every caller.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Requires {
  Permission value();

  Scope in();

  /** The scope in which a permission is required. */
  enum Scope {
    /** In all namespaces: the object belongs to none, or to all. */
    EVERYWHERE,
    /**
     * In some namespace; the method asks {@link Access} about the one in the body, or returns only
     * what the caller may see.
     */
    ASKED,
    /** In the namespace of the path parameter {@code namespace}. */
    NAMESPACE,
    /** In the namespace of the task {@code task_uuid}. */
    TASK,
    /** In the namespace of the dead letter {@code dlq_entry_uuid}. */
    DEAD_LETTER,
    /** In the namespace of the approval {@code approval_uuid}. */
    APPROVAL,
    /** In the namespace of the concurrency policy {@code policy_uuid}. */
    POLICY,
    /** In the namespace of the schedule {@code schedule_uuid}. */
    SCHEDULE,
    /** In the namespace of the webhook {@code webhook_uuid}. */
    WEBHOOK,
    /** In the namespace of the bulk action {@code token}. */
    BULK_ACTION
  }
}
