package ee.tasker.operation;

import jakarta.json.JsonObject;

/**
 * A caller who looks at approvals or decides them.
 *
 * @param name   as histories have it
 * @param rights as {@code tasker.resolve_approver} takes them
 */
public record Approver(String name, JsonObject rights) {}
