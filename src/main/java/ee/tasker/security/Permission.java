package ee.tasker.security;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The permissions. The database has the same names, plus those with {@code *} for all actions on a
 * resource.
 */
public enum Permission {
  TASKS_CREATE, TASKS_READ, TASKS_LIST, TASKS_CANCEL, TASKS_CONTEXT_READ, TASKS_ACT, TASKS_SIGNAL,
  TASKS_ERASE,
  STEPS_READ, STEPS_RESOLVE, STEPS_WORK,
  DOCUMENTS_OPEN,
  APPROVALS_READ, APPROVALS_DECIDE, APPROVALS_ASSIGN,
  DLQ_READ, DLQ_UPDATE, DLQ_STATS,
  TEMPLATES_READ, TEMPLATES_VALIDATE, TEMPLATES_REGISTER, TEMPLATES_PAUSE,
  POLICIES_READ, POLICIES_UPDATE,
  SCHEDULES_READ, SCHEDULES_WRITE,
  WEBHOOKS_READ, WEBHOOKS_WRITE,
  MESSAGES_READ, MESSAGES_REPLAY,
  SYSTEM_HANDLERS_READ, SYSTEM_ANALYTICS_READ, SYSTEM_SERVERS_READ, SYSTEM_SERVERS_MANAGE,
  SYSTEM_METRICS_READ, SYSTEM_CONFIG_READ, SECURITY_READ, SECURITY_MANAGE, SECURITY_AUDIT_READ;

  private final String text = name().toLowerCase(Locale.ROOT).replaceFirst("_", ":");

  /** The granted text: {@code tasks:context_read}. */
  public String text() {
    return text;
  }

  /** Whether a granted text, which may be a wildcard, includes this permission. */
  boolean isMeantBy(String granted) {
    return granted.equals(text) || granted.equals("*:*")
        || granted.endsWith(":*") && text.startsWith(granted.substring(0, granted.length() - 1));
  }

  public static Optional<Permission> of(String text) {
    return Arrays.stream(values()).filter(permission -> permission.text.equals(text)).findFirst();
  }
}
