package ee.tasker.console;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A headless Chromium, driven by the WebDriver protocol of the chromedriver on this machine. Waits
 * for conditions in the page and
 * never for a time. One thread.
 */
final class Browser implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String BACKSPACE = "\uE003";
  private static final Pattern PASSING = Pattern
      .compile(
          "stale element reference|no such element|element click intercepted|element not interactable|invalid element state");
  private static final HttpClient HTTP = HttpClient.newBuilder()
      .version(HttpClient.Version.HTTP_1_1).build();

  private final Process driver;
  private final URI base;
  private final String session;

  /** Where the two programs are, or empty when one of them is not on this machine. */
  static Optional<List<String>> programs() {
    Optional<String> chromium = found("chromium", "chromium-browser", "google-chrome");
    Optional<String> chromedriver = found("chromedriver");
    return chromium.isPresent() && chromedriver.isPresent()
        ? Optional.of(List.of(chromium.get(), chromedriver.get())) : Optional.empty();
  }

  private static Optional<String> found(String... names) {
    List<String> folders = List.of(System.getenv("PATH").split(java.io.File.pathSeparator));
    return Stream.of(names).flatMap(name -> folders.stream().map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .map(Path::toString).findFirst();
  }

  /** How the pages appear: the width and height of the window, and light or dark. */
  record Look(int width, int height, boolean isDark) {
  }

  Browser(Look look) {
    List<String> programs = programs().orElseThrow();
    try {
      int port;
      try (ServerSocket free = new ServerSocket(0)) {
        port = free.getLocalPort();
      }
      driver = new ProcessBuilder(programs.get(1), "--port=" + port).redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
      base = URI.create("http://127.0.0.1:" + port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    JsonObject options = Json.createObjectBuilder().add("binary", programs.get(0))
        .add("args",
            Json.createArrayBuilder(List.of("--headless=new", "--disable-dev-shm-usage",
                "--disable-gpu", "--no-sandbox",
                "--lang=en-GB", "--window-size=1300,900")))
        .build();
    JsonObject wanted = Json.createObjectBuilder().add("browserName", "chrome")
        .add("goog:chromeOptions", options)
        .add("goog:loggingPrefs", Json.createObjectBuilder().add("browser", "ALL")).build();
    try {
      awaitDriver();
      session = "/session/" + send("POST", "/session", Json.createObjectBuilder()
          .add("capabilities", Json.createObjectBuilder().add("alwaysMatch", wanted)).build())
          .asJsonObject().getString("sessionId");
      show(look);
    } catch (RuntimeException failed) {
      driver.destroy();
      throw failed;
    }
  }

  private void awaitDriver() {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        send("GET", "/status", null);
        return;
      } catch (UncheckedIOException notYet) {
        if (System.nanoTime() > until) {
          throw notYet;
        }
        pause();
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private JsonValue send(String method, String path, JsonObject body) {
    HttpRequest request = HttpRequest.newBuilder(base.resolve(path)).timeout(Duration.ofMinutes(2))
        .header("Content-Type", "application/json")
        .method(method, body == null ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body.toString()))
        .build();
    try {
      HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
      try (var reader = Json.createReader(new StringReader(answer.body()))) {
        JsonValue value = reader.readObject().get("value");
        if (answer.statusCode() != 200) {
          throw new IllegalStateException(value.asJsonObject().getString("message"));
        }
        return value;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Sizes the page itself, so that a narrow one is as narrow as on a phone. */
  void show(Look look) {
    command("Emulation.setDeviceMetricsOverride",
        Json.createObjectBuilder().add("width", look.width()).add("height", look.height())
            .add("deviceScaleFactor", 1).add("mobile", false));
    command("Emulation.setEmulatedMedia", Json.createObjectBuilder().add("features", Json
        .createArrayBuilder().add(
            Json.createObjectBuilder().add("name", "prefers-color-scheme").add("value",
                look.isDark() ? "dark" : "light"))
        // Nothing fades, so that colours are what they are.
        .add(Json.createObjectBuilder().add("name", "prefers-reduced-motion").add("value",
            "reduce"))));
  }

  /** A command of the DevTools protocol. */
  JsonValue command(String name, JsonObjectBuilder parameters) {
    return send("POST", session + "/goog/cdp/execute",
        Json.createObjectBuilder().add("cmd", name).add("params", parameters).build());
  }

  void open(URI page) {
    send("POST", session + "/url", Json.createObjectBuilder().add("url", page.toString()).build());
  }

  /** The value of a function body in the page; its arguments are texts. */
  JsonValue run(String script, String... arguments) {
    return send("POST", session + "/execute/sync",
        Json.createObjectBuilder().add("script", script)
            .add("args", Json.createArrayBuilder(List.of(arguments))).build());
  }

  /** The result of a promise in the page. */
  JsonValue runLater(String script, String... arguments) {
    return send("POST", session + "/execute/async", Json.createObjectBuilder()
        .add("script",
            "const done = arguments[arguments.length - 1]; (async () => {" + script
                + "})().then(done, (e) => done(String(e)));")
        .add("args", Json.createArrayBuilder(List.of(arguments))).build());
  }

  /** The visible text of the page. */
  String text() {
    return ((JsonString) run("return document.body.innerText")).getString();
  }

  /** Waits until an expression in the page is true. */
  void await(String condition, String... arguments) {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (!JsonValue.TRUE.equals(run("return !!(" + condition + ")", arguments))) {
      if (System.nanoTime() > until) {
        throw new AssertionError(
            "never: " + condition + " " + List.of(arguments) + "\n" + run("return location.href")
                + "\n" + text() + "\n" + log());
      }
      pause();
    }
  }

  void awaitText(String text) {
    await("document.body.innerText.includes(arguments[0])", text);
  }

  /** What stands in a menu that is closed is found as by a user, who opens the menu first. */
  private static final String OPEN_MENU = "const menu = found?.closest('details.menu:not([open])'); "
      + "if (menu && found.closest('summary') === null) menu.querySelector('summary').click(); ";

  private String element(String css) {
    await("document.querySelector(arguments[0])", css);
    run("const found = document.querySelector(arguments[0]); " + OPEN_MENU, css);
    return send("POST", session + "/element",
        Json.createObjectBuilder().add("using", "css selector").add("value", css).build())
        .asJsonObject()
        .values().iterator().next().toString().replace("\"", "");
  }

  void click(String css) {
    again(() -> send("POST", session + "/element/" + element(css) + "/click",
        Json.createObjectBuilder().build()));
  }

  /**
   * The page may be drawn anew between finding an element and acting on it, and something may still
   * lie over it: a user tries again.
   */
  private static void again(Runnable action) {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        action.run();
        return;
      } catch (IllegalStateException refused) {
        if (System.nanoTime() > until || !PASSING.matcher(refused.getMessage()).lookingAt()) {
          throw refused;
        }
      }
      pause();
    }
  }

  /** The first button, link or summary with exactly this text, within the dialog if one is open. */
  void press(String text) {
    String find = "const within = [...document.querySelectorAll('dialog[open]')].pop() ?? document; const found = [...within.querySelectorAll("
        + "'button, a, summary')].find((e) => (e.innerText.trim() || e.textContent.trim()) === arguments[0] && !e.disabled); ";
    // Found and marked at once, and looked for again when the page has replaced it.
    again(() -> {
      await("(() => {" + find + OPEN_MENU
          + "document.querySelectorAll('[data-pressed]').forEach((e) => e.removeAttribute('data-pressed')); found?.setAttribute('data-pressed', ''); "
          + "found?.scrollIntoView({block: 'center'}); return found; })()", text);
      JsonValue element = send("POST", session + "/element",
          Json.createObjectBuilder().add("using", "css selector").add("value", "[data-pressed]")
              .build());
      send("POST", session + "/element/"
          + ((JsonString) element.asJsonObject().values().iterator().next()).getString() + "/click",
          Json.createObjectBuilder().build());
    });
  }

  /**
   * Types as a user does, over what was there. The command that clears a field does not tell the
   * page, which would put back what was there when
   * it is drawn anew before the first key.
   */
  void type(String css, String text) {
    again(() -> {
      String element = element(css);
      boolean isSelected = JsonValue.TRUE.equals(run(
          "const e = document.querySelector(arguments[0]); e.focus(); "
              + "if (['date', 'time', 'datetime-local', 'file'].includes(e.type)) return false; e.select(); return true",
          css));
      if (!isSelected) {
        send("POST", session + "/element/" + element + "/clear",
            Json.createObjectBuilder().build());
      }
      send("POST", session + "/element/" + element + "/value",
          Json.createObjectBuilder().add("text", isSelected && text.isEmpty() ? BACKSPACE : text)
              .build());
    });
  }

  /** Keys for what has the focus, such as the code points of Tab (U+E004) and Enter (U+E007). */
  void keys(String keys) {
    JsonArray actions = keys.codePoints().mapToObj(Character::toString)
        .flatMap(key -> Stream.of("keyDown", "keyUp")
            .map(type -> Json.createObjectBuilder().add("type", type).add("value", key).build()))
        .collect(Json::createArrayBuilder, jakarta.json.JsonArrayBuilder::add,
            jakarta.json.JsonArrayBuilder::addAll)
        .build();
    send("POST", session + "/actions",
        Json.createObjectBuilder().add("actions", Json.createArrayBuilder()
            .add(Json.createObjectBuilder().add("type", "key").add("id", "keyboard").add("actions",
                actions)))
            .build());
  }

  /** A key while another is held, such as Control (U+E009) and k. */
  void chord(String held, String key) {
    JsonArray actions = Json
        .createArrayBuilder(List.of(action("keyDown", held), action("keyDown", key),
            action("keyUp", key), action("keyUp", held)))
        .build();
    send("POST", session + "/actions",
        Json.createObjectBuilder().add("actions", Json.createArrayBuilder()
            .add(Json.createObjectBuilder().add("type", "key").add("id", "keyboard").add("actions",
                actions)))
            .build());
  }

  private static JsonObject action(String type, String key) {
    return Json.createObjectBuilder().add("type", type).add("value", key).build();
  }

  /** The window that everything is about. */
  String window() {
    return ((JsonString) send("GET", session + "/window", null)).getString();
  }

  /**
   * Opens a window and goes there. It shares cookies and channels with the others, and nothing
   * else.
   */
  String openWindow(Look look) {
    String window = send("POST", session + "/window/new",
        Json.createObjectBuilder().add("type", "window").build()).asJsonObject()
        .getString("handle");
    goTo(window);
    show(look);
    return window;
  }

  void goTo(String window) {
    send("POST", session + "/window", Json.createObjectBuilder().add("handle", window).build());
  }

  /** Closes the window and goes to another one. */
  void closeWindow(String next) {
    send("DELETE", session + "/window", null);
    goTo(next);
  }

  /** The visible part of the page as WebP, which is a third of a PNG. */
  byte[] picture() {
    return Base64.getDecoder().decode(
        command("Page.captureScreenshot",
            Json.createObjectBuilder().add("format", "webp").add("quality", 60)).asJsonObject()
            .getString("data"));
  }

  /**
   * What the browser complained about since the last call: violations of the
   * Content-Security-Policy, missing files, faults of scripts.
   */
  List<String> log() {
    return send("POST", session + "/se/log",
        Json.createObjectBuilder().add("type", "browser").build()).asJsonArray()
        .getValuesAs(JsonObject.class).stream()
        .map(entry -> entry.getString("level") + " " + entry.getString("message")).toList();
  }

  void forgetCookies() {
    send("DELETE", session + "/cookie", null);
  }

  @Override
  public void close() {
    try {
      send("DELETE", session, null);
    } finally {
      driver.destroy();
    }
  }
}
