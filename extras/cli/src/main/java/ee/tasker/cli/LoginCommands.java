package ee.tasker.cli;

import ee.tasker.client.Call;
import ee.tasker.client.Operation;
import ee.tasker.client.TaskerClient;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import java.net.URI;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Credentials: checks them with the server before they are stored. Secrets are never arguments,
 * which other users of the machine could see.
 */
final class LoginCommands {
  private static final Pattern LOGIN_FILE = Pattern.compile("(?m)^user = \"([^:\"]+):([^\"]+)\"$");

  private LoginCommands() {}

  static int login(Invocation in) {
    Terminal terminal = in.terminal();
    String url = Session.withoutSlash(
        in.text("--url").or(() -> terminal.variable("TASKER_URL")).orElse(Session.LOCAL));
    Path folder = Profiles.folder(terminal);
    Profiles profiles = Profiles.load(folder);
    Profiles.Profile profile = asked(in, url);
    Integer timeout = in.text("--timeout").map(Integer::valueOf).orElse(null);
    TaskerClient.Builder builder = Session.builder(url, timeout);
    Session.credentials(builder, profile);
    TaskerClient client = builder.build();
    JsonObject me = client.send(Call.of(Operation.GET_ME)).json();
    if (in.flag("--create-key")) {
      profile = new Profiles.Profile(url, "key", null, createdKey(in, client, me, profile));
    }
    String name = in.profile()
        .orElse(profiles.profiles().isEmpty() ? Profiles.DEFAULT : profiles.current());
    profiles.with(name, profile).save(folder);
    if (isOpen(url)) {
      terminal.err().println(
          "Warning: " + url + " is not encrypted; everybody on the way can read the credentials.");
    }
    in.output().print(
        Json.createObjectBuilder().add("profile", name).add("url", url).add("kind", me.get("kind"))
            .add("name", me.get("name")).build(),
        View.details("profile", "url", "kind", "name"));
    return Exit.DONE;
  }

  private static Profiles.Profile asked(Invocation in, String url) {
    Terminal terminal = in.terminal();
    if ((in.flag("--user") ? 1 : 0) + (in.flag("--token") ? 1 : 0)
        + (in.flag("--login-file") ? 1 : 0) > 1) {
      throw new UsageException("--user, --token and --login-file exclude each other");
    }
    if (in.flag("--create-key") && !in.flag("--user") && !in.flag("--login-file")) {
      throw new UsageException("--create-key needs --user or --login-file");
    }
    if (in.flag("--login-file")) {
      Matcher login = LOGIN_FILE.matcher(in.read(in.required("--login-file")));
      if (!login.find()) {
        throw new UsageException("The file has no line as this one: user = \"name:password\"");
      }
      return new Profiles.Profile(url, "password", login.group(1), login.group(2));
    }
    String kind = in.flag("--user") ? "password" : in.flag("--token") ? "token" : "key";
    String variable = kind.equals("password") ? "TASKER_PASSWORD"
        : kind.equals("token") ? "TASKER_TOKEN" : "TASKER_KEY";
    String secret = in.flag("--stdin") ? terminal.line()
        : terminal.variable(variable).orElseGet(
            () -> terminal.askSecret(
                (kind.equals("password") ? "Password" : kind.equals("token") ? "Token" : "API key")
                    + ": "));
    if (secret.isEmpty()) {
      throw new UsageException(
          "No " + kind + " was given: type it, pass it with --stdin, or set " + variable);
    }
    return new Profiles.Profile(url, kind, in.text("--user").orElse(null), secret);
  }

  /** A key that may do what the user may. */
  private static String createdKey(Invocation in, TaskerClient client, JsonObject me,
      Profiles.Profile profile) {
    if (!profile.kind().equals("password")) {
      throw new UsageException("--create-key needs a user");
    }
    JsonArrayBuilder grants = Json.createArrayBuilder();
    me.getJsonArray("permissions").getValuesAs(JsonString.class).forEach(permission -> {
      String[] parts = permission.getString().split(" in ", 2);
      grants.add(Access.granted(parts.length == 1 ? parts[0] : parts[0] + "@" + parts[1]));
    });
    JsonObjectBuilder body = Json.createObjectBuilder().add("name", in.required("--create-key"))
        .add("grants", grants);
    in.integer("--expires-in-days")
        .ifPresent(days -> body.add("expires_in_seconds", Math.multiplyExact(days, 86_400L)));
    return client.send(Call.of(Operation.CREATE_KEY).body(body.build())).json().getString("key");
  }

  private static boolean isOpen(String url) {
    URI uri = URI.create(url);
    return "http".equalsIgnoreCase(uri.getScheme())
        && !uri.getHost().matches("localhost|127\\..*|\\[?::1]?");
  }

  static int logout(Invocation in) {
    Path folder = Profiles.folder(in.terminal());
    Profiles profiles = Profiles.load(folder);
    if (in.flag("--all")) {
      new Profiles(Profiles.DEFAULT, java.util.Map.of()).save(folder);
      in.output().say("Forgot " + profiles.profiles().size() + " profiles.");
      return Exit.DONE;
    }
    String name = in.profile().orElse(profiles.current());
    if (profiles.profile(name).isEmpty()) {
      throw new UsageException("There is no profile \"" + name + "\"");
    }
    profiles.without(name).save(folder);
    in.output().say("Forgot the profile " + name + ".");
    return Exit.DONE;
  }

  static int list(Invocation in) {
    Profiles profiles = Profiles.load(Profiles.folder(in.terminal()));
    JsonArrayBuilder rows = Json.createArrayBuilder();
    profiles.profiles().forEach((name, profile) -> {
      JsonObjectBuilder row = Json.createObjectBuilder()
          .add("current", name.equals(profiles.current()) ? "*" : "").add("profile", name)
          .add("url", profile.url()).add("kind", profile.kind());
      rows.add(profile.user() == null ? row.addNull("user") : row.add("user", profile.user()));
    });
    in.output().print(Json.createObjectBuilder().add("profiles", rows).build(),
        View.rows("profiles", "CURRENT=current", "PROFILE=profile", "URL=url", "BY=kind",
            "USER=user"));
    return Exit.DONE;
  }

  static int use(Invocation in) {
    Path folder = Profiles.folder(in.terminal());
    Profiles profiles = Profiles.load(folder);
    String name = in.required("NAME");
    Profiles.Profile profile = profiles.profile(name)
        .orElseThrow(() -> new UsageException("There is no profile \"" + name + "\""));
    profiles.with(name, profile).save(folder);
    in.output().say("Commands now use " + name + ": " + profile.url());
    return Exit.DONE;
  }
}
