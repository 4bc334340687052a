package ee.tasker.cli;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about grants: what users and keys may do. */
final class GrantGroup {
  static final Arg GRANT = Arg
      .local("grant", "GRANT",
          "A role or permission, everywhere or in a namespace: operator, tasks:create@orders.")
      .many()
      .covers("grants");

  private GrantGroup() {}

  static List<Command> commands() {
    return List.of(
        Command.of("add", "Grants a role or permission to a user or a key.").calls(Operation.GRANT)
            .with(
                Arg.local("grant", "GRANT",
                    "A role or permission, everywhere or in a namespace: operator, tasks:create@orders.")
                    .positional().covers("role", "permission", "namespace"),
                Arg.body("user_uuid", "UUID", "To this user.").named("--user").uuid(),
                Arg.body("key_uuid", "UUID", "To this key.").named("--key").uuid())
            .runs(Access::grant).shows(View.details("grant=grant_uuid"))
            .example("tasker grant add viewer@orders --user 01a1fc6e-0004-7000-8000-000000000004"),
        Command.of("revoke", "Takes a grant away.").calls(Operation.REVOKE_GRANT)
            .with(Arg.path("grant_uuid", "GRANT", "The UUID of the grant."))
            .shows(View.details("grant=grant_uuid"))
            .example("tasker grant revoke 01a1fc6e-0005-7000-8000-000000000005"),
        Command.of("roles", "Lists the roles and their permissions.").calls(Operation.LIST_ROLES)
            .shows(View.rows("roles", "ROLE=role", "DESCRIPTION=description",
                "+PERMISSIONS=permissions"))
            .example("tasker grant roles -o wide"));
  }
}
