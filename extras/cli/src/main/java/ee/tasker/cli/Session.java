package ee.tasker.cli;

import ee.tasker.client.TaskerClient;
import java.time.Duration;
import java.util.Optional;

/**
 * Which server is meant and who asks: options first, then the environment, then the profile.
 * Credentials of a profile are sent to the
 * server of that profile only: with another {@code --url} or {@code TASKER_URL} others have to be
 * given.
 */
final class Session {
  static final String LOCAL = "http://localhost:8080";

  private Session() {}

  /** @param profileName, url, timeout: null if they were not typed */
  static TaskerClient connect(Terminal terminal, String profileName, String url, Integer timeout) {
    Optional<String> chosen = Optional.ofNullable(profileName)
        .or(() -> terminal.variable("TASKER_PROFILE"));
    Optional<String> address = Optional.ofNullable(url).or(() -> terminal.variable("TASKER_URL"))
        .map(Session::withoutSlash);
    boolean hasCredentials = terminal.variable("TASKER_KEY")
        .or(() -> terminal.variable("TASKER_TOKEN"))
        .or(() -> terminal.variable("TASKER_USER")).isPresent();

    Profiles.Profile profile = null;
    if (!(address.isPresent() && hasCredentials && chosen.isEmpty())) {
      Profiles profiles = Profiles.load(Profiles.folder(terminal));
      profile = profiles.profile(chosen.orElse(profiles.current())).orElse(null);
      if (profile == null && chosen.isPresent()) {
        throw new UsageException("There is no profile \"" + chosen.get()
            + "\"; tasker profile list shows them, tasker login makes one");
      }
    }
    TaskerClient.Builder builder = builder(address.orElse(profile == null ? LOCAL : profile.url()),
        timeout);
    if (hasCredentials) {
      fromEnvironment(terminal, builder);
    } else if (profile != null && address.map(profile.url()::equals).orElse(true)) {
      credentials(builder, profile);
    }
    return builder.build();
  }

  static TaskerClient.Builder builder(String url, Integer timeout) {
    try {
      TaskerClient.Builder builder = TaskerClient.at(url).retries(2).userAgent("tasker-ee-cli");
      return timeout == null ? builder
          : builder.timeout(Duration.ofSeconds(timeout))
              .connectTimeout(Duration.ofSeconds(Math.min(5, timeout)));
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  static String withoutSlash(String url) {
    return url.replaceAll("/+$", "");
  }

  private static void fromEnvironment(Terminal terminal, TaskerClient.Builder builder) {
    Optional<String> key = terminal.variable("TASKER_KEY");
    Optional<String> token = terminal.variable("TASKER_TOKEN");
    if (key.isPresent()) {
      builder.key(key.get());
    } else if (token.isPresent()) {
      builder.token(token.get());
    } else {
      builder.user(terminal.variable("TASKER_USER").orElseThrow(),
          terminal.variable("TASKER_PASSWORD")
              .orElseThrow(
                  () -> new UsageException("TASKER_USER is set and TASKER_PASSWORD is not")));
    }
  }

  static void credentials(TaskerClient.Builder builder, Profiles.Profile profile) {
    switch (profile.kind()) {
      case "key" -> builder.key(profile.secret());
      case "token" -> builder.token(profile.secret());
      default -> builder.user(profile.user(), profile.secret());
    }
  }
}
