package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.LOCAL;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about users. */
final class UserGroup {
  private UserGroup() {}

  static List<Command> commands() {
    Arg uuid = Arg.path("user_uuid", "USER", "The name or UUID of the user.").text();
    View changed = View.details("user=user_uuid");
    return List.of(
        Command.of("list", "Lists the users.").calls(Operation.LIST_USERS)
            .shows(View.rows("users", "USER=user_uuid", "NAME=name", "ENABLED=enabled",
                "PASSWORD=has_password", "CREATED=created_at",
                "+BY=created_by",
                "+GRANTS=grants"))
            .example("tasker user list"),
        Command
            .of("create",
                "Creates a user; a password is generated and shown once, unless one is given.")
            .calls(Operation.CREATE_USER)
            .with(Arg.body("name", "NAME", "The name.").positional(), GrantGroup.GRANT,
                Arg.flag(LOCAL, "password-stdin", "Reads the password from the standard input.")
                    .covers("password"))
            .runs(Access::createUser).shows(View.details("user=user_uuid", "name", "password"))
            .example("tasker user create ann --grant operator --grant tasks:create@orders"),
        Command.of("password", "Sets the password of a user.")
            .calls(Operation.CHANGE_USER, Operation.LIST_USERS)
            .with(uuid,
                Arg.flag(LOCAL, "stdin", "Reads it from the standard input.").covers("password"))
            .runs(Access::password)
            .shows(changed)
            .example("tasker user password ann"),
        Command.of("enable", "Lets a user log in again.")
            .calls(Operation.CHANGE_USER, Operation.LIST_USERS).with(uuid)
            .runs(in -> Access.enabled(in, true)).shows(changed)
            .example("tasker user enable ann"),
        Command.of("disable", "Stops a user from logging in.")
            .calls(Operation.CHANGE_USER, Operation.LIST_USERS).with(uuid)
            .runs(in -> Access.enabled(in, false)).shows(changed)
            .example("tasker user disable ann"));
  }
}
