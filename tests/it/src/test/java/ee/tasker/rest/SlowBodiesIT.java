package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.run.Login;
import ee.tasker.testing.server.ServerFacts;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;

/**
 * Requests that trickle, or stop in the middle, are cut off on every application server; those that
 * are slow and go on are not, and others do not notice.
 */
@Tag("long")
class SlowBodiesIT {
  private static final ServerFacts FACTS = ServerFacts.ofThisServer();
  private static final int TIMEOUT_SECONDS = 3;
  private static final int BYTES_PER_SECOND = 1_000;
  /**
   * Open Liberty asks nothing of the application before a buffer is full or {@code
   * http.read.timeout} over; Payara Micro throws what is left away for 30 s. The machine may be
   * busy.
   */
  private static final Duration CUT_WITHIN = Duration
      .ofSeconds(FACTS.number("slow.cut-within-seconds"));
  private static final String FORM = "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s%s\r\n\r\n";
  private static final String KNOWN = "Authorization: " + Login.FOR_TESTS.basic() + "\r\n";
  private static final String OF_LENGTH = "Content-Length: 50000";
  private static final String IN_CHUNKS = "Transfer-Encoding: chunked";

  private static ExecutorService threads;
  private static EmbeddedDatabase database;
  private static TestServer server;
  private static TaskerClient tasker;

  @BeforeAll
  static void start() {
    threads = Executors.newCachedThreadPool();
    database = TestServer.newDatabase();
    server = TestServer.start(database,
        Map.of("TASKER_API_BODY_TIMEOUT_SECONDS", Integer.toString(TIMEOUT_SECONDS),
            "TASKER_API_BODY_MIN_BYTES_PER_SECOND", Integer.toString(BYTES_PER_SECOND),
            "HTTP_READ_TIMEOUT", "10s", "HTTP_HEAD_TIMEOUT_MS", "5000"));
    tasker = server.client();
    tasker.register("/testing/templates.yaml");
  }

  @AfterAll
  static void stop() {
    threads.shutdownNow();
    server.close();
    database.close();
  }

  /** @param answer all that came until the server closed the connection */
  private record Cut(boolean isClosed, Duration answered, Duration after, String answer) {
    int status() {
      return answer.isEmpty() ? 0 : Integer.parseInt(answer.split(" ", 3)[1]);
    }
  }

  /**
   * Sends a request's begin and then {@code drop} twice a second, nothing if that is empty, until
   * the server closes the connection.
   */
  private static Cut send(String begin, String drop, Duration atMost) {
    long start = System.nanoTime();
    StringBuilder answer = new StringBuilder();
    boolean isClosed = false;
    Duration answered = atMost;
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(server.base().getHost(), server.base().getPort()));
      socket.setSoTimeout(500);
      socket.getOutputStream().write(begin.getBytes(StandardCharsets.ISO_8859_1));
      while (!isClosed && System.nanoTime() - start < atMost.toNanos()) {
        boolean isSilent = answer.isEmpty();
        isClosed = isAtEnd(socket.getInputStream(), answer);
        answered = isSilent && !answer.isEmpty() ? Duration.ofNanos(System.nanoTime() - start)
            : answered;
        socket.getOutputStream().write(drop.getBytes(StandardCharsets.ISO_8859_1));
      }
    } catch (IOException reset) {
      isClosed = true;
    }
    return new Cut(isClosed, answered, Duration.ofNanos(System.nanoTime() - start),
        answer.toString());
  }

  private static boolean isAtEnd(InputStream in, StringBuilder answer) throws IOException {
    try {
      byte[] bytes = new byte[8_192];
      int count = in.read(bytes);
      answer.append(new String(bytes, 0, Math.max(0, count), StandardCharsets.UTF_8));
      return count < 0;
    } catch (SocketTimeoutException nothingYet) {
      return false;
    }
  }

  /**
   * After its answer Open Liberty throws away the chunks that still come, without a thread, for as
   * long as they do.
   */
  private static boolean isKeptWithoutThread(String begin) {
    return FACTS.is("slow.chunks-kept") && begin.contains(IN_CHUNKS);
  }

  /** Begins at once, and is waited for when its turn has come. */
  private static DynamicTest beside(String name, Executable test) {
    CompletableFuture<Void> begun = CompletableFuture.runAsync(() -> {
      try {
        test.execute();
      } catch (Throwable failure) {
        throw new CompletionException(failure);
      }
    }, threads);
    return DynamicTest.dynamicTest(name, () -> begun.get(2, TimeUnit.MINUTES));
  }

  private static DynamicTest cut(String name, String begin, String drop, int status) {
    CompletableFuture<Cut> sent = CompletableFuture.supplyAsync(() -> send(begin, drop, CUT_WITHIN),
        threads);
    return DynamicTest.dynamicTest(name, () -> {
      Cut cut = sent.get(2, TimeUnit.MINUTES);
      System.out.println("slow: " + name + ": " + cut.status() + " after "
          + cut.answered().toMillis() + " ms, closed " + cut.isClosed()
          + " after " + cut.after().toMillis() + " ms");
      assertThat(cut.isClosed() || isKeptWithoutThread(begin)).as("%s", cut).isTrue();
      assertThat(cut.status()).as("%s", cut).isEqualTo(status);
      assertThat(cut.answered()).as("%s", cut).isLessThan(CUT_WITHIN);
      // A server may answer a GET with a body by 400 and nothing more.
      if (status >= 400 && !(status == 400 && FACTS.is("get.body-refused"))) {
        assertThat(cut.answer()).containsIgnoringCase("\r\nConnection: close\r\n")
            .contains(status == 408 ? "\"code\":\"request-timeout\"" : "\"code\":");
      }
    });
  }

  @TestFactory
  Stream<DynamicTest> what_trickles_or_stops_is_cut_off() {
    // All at once, so that the test takes as long as the longest of them.
    return Stream.of(
        cut("a body drop by drop", FORM.formatted("/v1/tasks", KNOWN, OF_LENGTH), " ", 408),
        cut("chunks drop by drop", FORM.formatted("/v1/tasks", KNOWN, IN_CHUNKS), "1\r\n \r\n",
            408),
        cut("a body that stops", FORM.formatted("/v1/tasks", KNOWN, OF_LENGTH) + "{", "", 408),
        cut("chunks that stop", FORM.formatted("/v1/tasks", KNOWN, IN_CHUNKS) + "1\r\n{\r\n", "",
            408),
        cut("a body with a key, drop by drop",
            FORM.formatted("/v1/tasks", KNOWN + "Idempotency-Key: slow\r\n", OF_LENGTH), " ", 408),
        cut("a body of no type, drop by drop",
            "PUT /v1/concurrency-policies/x/limit HTTP/1.1\r\nHost: localhost\r\n" + KNOWN
                + OF_LENGTH + "\r\n\r\n",
            " ", 415),
        cut("a stranger's body", FORM.formatted("/v1/tasks", "", OF_LENGTH), " ", 401),
        cut("a stranger's body that stops", FORM.formatted("/v1/tasks", "", OF_LENGTH), "", 401),
        cut("a stranger's chunks", FORM.formatted("/v1/tasks", "", IN_CHUNKS), "1\r\n \r\n", 401),
        cut("a body for a path that is not there", FORM.formatted("/nothing", "", OF_LENGTH), " ",
            FACTS.number("post.unknown-page")),
        cut("a body for a path that is not there below v1",
            FORM.formatted("/v1/nothing", KNOWN, IN_CHUNKS), "1\r\n \r\n", 404),
        cut("a body for a method that takes none",
            FORM.replace("POST", "GET").formatted("/v1/me", KNOWN, IN_CHUNKS), "1\r\n \r\n",
            FACTS.is("get.body-refused") ? 400 : 200),
        cut("a body for a page", FORM.replace("POST", "GET").formatted("/", "", OF_LENGTH), " ",
            FACTS.is("get.body-refused") ? 400 : 200),
        beside("a long body over a slow line is read to its end",
            SlowBodiesIT::readALongBodyOverASlowLine),
        beside("headers that trickle take no thread and are cut off where the server can",
            SlowBodiesIT::cutHeadersThatTrickle))
        .toList().stream();
  }

  private static void readALongBodyOverASlowLine() throws Exception {
    String request = TaskerClient.taskRequest("testing", "hello",
        "{'who': '" + UUID.randomUUID() + "'}");
    // Twice the time that it has without progress, at a little more than the least rate.
    int parts = 4 * TIMEOUT_SECONDS;
    String body = request + " ".repeat(parts * BYTES_PER_SECOND * 6 / 10 - request.length());
    long start = System.nanoTime();
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(server.base().getHost(), server.base().getPort()));
      socket.setSoTimeout(500);
      StringBuilder answer = new StringBuilder();
      socket.getOutputStream()
          .write(FORM
              .formatted("/v1/tasks", KNOWN + "Connection: close\r\n",
                  "Content-Length: " + body.length())
              .getBytes(StandardCharsets.ISO_8859_1));
      for (int part = 0; part < parts; part++) {
        socket.getOutputStream()
            .write(body.substring(part * body.length() / parts, (part + 1) * body.length() / parts)
                .getBytes(StandardCharsets.ISO_8859_1));
        isAtEnd(socket.getInputStream(), answer);
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .as("slower than its time without progress")
          .isGreaterThan(Duration.ofSeconds(TIMEOUT_SECONDS + 1));
      socket.setSoTimeout(20_000);
      while (!isAtEnd(socket.getInputStream(), answer)) {
        assertThat(Duration.ofNanos(System.nanoTime() - start)).as("%s", answer)
            .isLessThan(CUT_WITHIN);
      }
      assertThat(answer.toString()).startsWith("HTTP/1.1 201 ");
    }
  }

  private static void cutHeadersThatTrickle() {
    Cut cut = send("GET /v1/tasks HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", "a",
        Duration.ofSeconds(15));

    assertThat(cut.isClosed()).as("%s", cut).isEqualTo(FACTS.is("slow.headers-cut"));
  }

  @Test
  void others_are_answered_at_once_while_many_trickle() {
    List<CompletableFuture<Cut>> slow = new ArrayList<>();
    for (String begin : List.of(FORM.formatted("/v1/tasks", KNOWN, IN_CHUNKS),
        FORM.formatted("/v1/tasks", "", IN_CHUNKS), FORM.formatted("/v1/tasks", KNOWN, OF_LENGTH),
        FORM.formatted("/", "", OF_LENGTH))) {
      IntStream.range(0, 12).forEach(i -> slow
          .add(CompletableFuture.supplyAsync(
              () -> send(begin, begin.contains(IN_CHUNKS) ? "1\r\n \r\n" : " ", CUT_WITHIN),
              threads)));
    }

    Duration longest = Duration.ZERO;
    int asked = 0;
    while (slow.stream().anyMatch(each -> !each.isDone())) {
      long start = System.nanoTime();
      assertThat(tasker.get("/v1/me").status()).isEqualTo(200);
      assertThat(tasker.get("/health/live").status()).isEqualTo(200);
      Duration taken = Duration.ofNanos(System.nanoTime() - start);
      longest = taken.compareTo(longest) > 0 ? taken : longest;
      asked++;
    }

    System.out
        .println("slow: " + asked + " others, the longest took " + longest.toMillis() + " ms");
    assertThat(longest).isLessThan(Duration.ofSeconds(3));
    assertThat(slow).allMatch(each -> each.join().status() > 0);
  }
}
