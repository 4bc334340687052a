package ee.tasker.cli;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about API keys. */
final class KeyGroup {
  private KeyGroup() {}

  static List<Command> commands() {
    return List.of(
        Command.of("list", "Lists the API keys, without the keys themselves.")
            .calls(Operation.LIST_KEYS)
            .shows(View.rows("keys", "KEY=key_uuid", "NAME=name", "BEGINS=hint",
                "EXPIRES=expires_at", "LAST USED=last_used_at",
                "REVOKED=revoked_at", "+CREATED=created_at",
                "+BY=created_by", "+GRANTS=grants"))
            .example("tasker key list"),
        Command.of("create", "Creates an API key, which is shown once.").calls(Operation.CREATE_KEY)
            .with(Arg.body("name", "NAME", "What it is for.").positional(), GrantGroup.GRANT,
                Arg.local("expires-in-days", "DAYS", "When it ends.").integer()
                    .covers("expires_in_seconds"))
            .runs(Access::createKey).shows(View.details("key uuid=key_uuid", "name", "key"))
            .example(
                "tasker key create \"orders intake\" --grant tasks:create@orders --expires-in-days 365"),
        Command.of("revoke", "Ends an API key.").calls(Operation.REVOKE_KEY)
            .with(Arg.path("key_uuid", "KEY", "The UUID of the key."))
            .shows(View.details("key=key_uuid"))
            .example("tasker key revoke 01a1fc6e-0003-7000-8000-000000000003"));
  }
}
