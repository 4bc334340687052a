package ee.tasker.cli;

import java.util.List;

/** The commands about logins that are stored. */
final class ProfileGroup {
  private ProfileGroup() {}

  static List<Command> commands() {
    return List.of(
        Command.of("list", "Lists the profiles, without their credentials.")
            .runs(LoginCommands::list).example("tasker profile list"),
        Command.of("use", "Chooses the profile for commands that name none.")
            .with(Arg.local("name", "NAME", "The profile.").positional())
            .runs(LoginCommands::use).example("tasker profile use prod"));
  }
}
