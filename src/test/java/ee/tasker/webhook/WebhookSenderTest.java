package ee.tasker.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One call to receivers of every kind: what counts is the status, in the time that the webhook
 * allows.
 */
class WebhookSenderTest {
  private static final String SECRET = WebhookDesk.SECRET;

  private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
  private final AtomicInteger resolved = new AtomicInteger();
  private final AtomicInteger calls = new AtomicInteger();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<ServerSocket> receivers = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() throws IOException {
    timers.shutdownNow();
    threads.shutdownNow();
    for (ServerSocket receiver : receivers) {
      receiver.close();
    }
  }

  private WebhookSender sender() {
    return new WebhookSender(new TargetRules(TargetRulesTest.OPEN),
        (SSLSocketFactory) SSLSocketFactory.getDefault(), InetAddress::getAllByName, timers);
  }

  private static Delivery delivery(String url, int timeoutSeconds) {
    return new Delivery(UUID.randomUUID(), 1, UUID.randomUUID(), url,
        List.of(SECRET, Signature.newSecret()), timeoutSeconds, 2, UUID.randomUUID(),
        1_750_000_000L, "{\"type\":\"order.paid\",\"data\":\"ü\"}");
  }

  /** A receiver that writes what it is given, and goes on as it is told. */
  private String answering(String answer, boolean closes) {
    return answering(answer, "", closes);
  }

  /** @param part is written again and again after the answer, ten times a second; empty for none */
  private String answering(String answer, String part, boolean closes) {
    try {
      ServerSocket receiver = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
      receivers.add(receiver);
      threads.execute(() -> receive(receiver, answer, part, closes));
      return "http://127.0.0.1:" + receiver.getLocalPort() + "/in?x=1";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void receive(ServerSocket receiver, String answer, String part, boolean closes) {
    List<Socket> held = new CopyOnWriteArrayList<>();
    while (!receiver.isClosed()) {
      try {
        Socket socket = receiver.accept();
        held.add(socket);
        InputStream in = socket.getInputStream();
        in.read(new byte[64]);
        OutputStream out = socket.getOutputStream();
        out.write(answer.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
        if (!part.isEmpty()) {
          timers.scheduleAtFixedRate(() -> write(part, out), 100, 100, TimeUnit.MILLISECONDS);
        }
        if (closes) {
          socket.setSoLinger(true, 0);
          socket.close();
        }
      } catch (IOException end) {
        // The test is over, or the caller is.
      }
    }
  }

  private static void write(String part, OutputStream out) {
    try {
      out.write(part.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
    } catch (IOException end) {
      throw new UncheckedIOException(end);
    }
  }

  @Test
  void a_call_has_the_event_and_signatures_of_all_secrets() throws Exception {
    HttpServer http = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    CompletableFuture<com.sun.net.httpserver.Headers> headers = new CompletableFuture<>();
    CompletableFuture<byte[]> body = new CompletableFuture<>();
    http.createContext("/in", exchange -> {
      body.complete(exchange.getRequestBody().readAllBytes());
      headers.complete(exchange.getRequestHeaders());
      exchange.sendResponseHeaders(204, -1);
      exchange.close();
    });
    http.start();
    Delivery delivery = delivery("http://localhost:" + http.getAddress().getPort() + "/in", 5);

    Delivery.Result result = sender().send(delivery);
    http.stop(0);

    assertThat(result.status()).isEqualTo(204);
    assertThat(new String(body.get(), StandardCharsets.UTF_8)).isEqualTo(delivery.body());
    assertThat(headers.get().getFirst("Content-Type")).startsWith("application/cloudevents+json");
    assertThat(headers.get().getFirst("webhook-id")).isEqualTo(delivery.eventId().toString());
    assertThat(headers.get().getFirst("webhook-timestamp")).isEqualTo("1750000000");
    assertThat(headers.get().getFirst("tasker-webhook")).isEqualTo(delivery.webhook().toString());
    assertThat(headers.get().getFirst("tasker-delivery")).isEqualTo(delivery.uuid().toString());
    assertThat(headers.get().getFirst("tasker-attempt")).isEqualTo("2");
    assertThat(headers.get().getFirst("Host"))
        .isEqualTo("localhost:" + http.getAddress().getPort());
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(SECRET.substring(6)), "HmacSHA256"));
    mac.update((delivery.eventId() + ".1750000000.").getBytes(StandardCharsets.US_ASCII));
    String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body.get()));
    assertThat(headers.get().getFirst("webhook-signature").split(" ")).hasSize(2)
        .contains(expected);
  }

  @ParameterizedTest
  @CsvSource({"/in?x=1&y=%20z, /in?x=1&y=%20z", "//in//, //in//", "'', /", "?x, /?x"})
  void the_path_is_sent_as_it_was_registered(String path, String sent) throws IOException {
    HttpServer http = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    CompletableFuture<String> asked = new CompletableFuture<>();
    http.createContext("/", exchange -> {
      asked.complete(exchange.getRequestURI().toString());
      exchange.sendResponseHeaders(204, -1);
      exchange.close();
    });
    http.start();

    sender().send(delivery("http://localhost:" + http.getAddress().getPort() + path, 5));
    http.stop(0);

    assertThat(asked.getNow("none")).isEqualTo(sent);
  }

  @Test
  void the_signature_is_that_of_the_published_example() {
    assertThat(Signature.of(List.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
        "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330L,
        "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    assertThat(Signature.isSecret(Signature.newSecret())).isTrue();
    assertThat(
        List.of("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_short",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", "whsec_" + "A".repeat(90)))
        .noneMatch(Signature::isSecret);
  }

  @ParameterizedTest
  @CsvSource({"200 OK, 200", "201 Created, 201", "301 Moved, 301", "307 Temporary Redirect, 307",
    "410 Gone, 410", "500, 500"})
  void the_status_is_reported_and_no_redirect_is_followed(String line, int status)
      throws IOException {
    String url = answering(
        "HTTP/1.1 " + line + "\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 2\r\n\r\nno",
        true);

    Delivery.Result result = sender().send(delivery(url, 5));

    assertThat(result.status()).isEqualTo(status);
    assertThat(result.failure()).isNull();
  }

  @Test
  void the_beginning_of_an_endless_body_is_kept() throws IOException {
    Delivery.Result result = sender()
        .send(delivery(answering("HTTP/1.1 200 OK\r\n\r\n" + "x".repeat(9_000), false), 20));

    assertThat(result.status()).isEqualTo(200);
    assertThat(result.response()).hasSize(1_024);
    assertThat(result.durationMs()).isLessThan(15_000);
  }

  @Test
  void a_chunked_body_is_read_and_control_characters_are_not_kept() throws IOException {
    Delivery.Result result = sender().send(delivery(
        answering(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na\u0000b\r\n2;x=1\r\nde\r\n0\r\n\r\n",
            true),
        5));

    assertThat(result.status()).isEqualTo(400);
    assertThat(result.response()).isEqualTo("a?bde");
  }

  @Test
  void a_reset_after_the_status_is_no_failure() throws IOException {
    assertThat(sender()
        .send(delivery(answering("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx", true), 5))
        .status()).isEqualTo(200);
  }

  @Test
  void a_receiver_that_closes_the_connection_has_not_answered() throws IOException {
    Delivery.Result result = sender().send(delivery(answering("HTTP/1.1 20", true), 5));
    assertThat(result.status()).isNull();
    assertThat(result.failure()).isNotBlank();
  }

  @Test
  void what_is_not_http_has_not_answered() throws IOException {
    assertThat(sender().send(delivery(answering("SSH-2.0-OpenSSH\r\n", true), 5)).failure())
        .isEqualTo("the answer is not one of HTTP");
  }

  @Test
  void an_answer_whose_length_is_no_number_has_not_answered() throws IOException {
    assertThat(sender().send(delivery(
        answering("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nx", true), 5)).failure())
        .isEqualTo("the answer is not one of HTTP");
  }

  @Test
  void a_head_without_an_end_is_not_read_on() throws IOException {
    assertThat(
        sender().send(delivery(answering("HTTP/1.1 200 OK\r\nX: " + "y".repeat(20_000), false), 20))
            .failure())
        .isEqualTo("the head of the answer is too long");
  }

  @Test
  void a_head_of_too_many_lines_is_not_read_on() throws IOException {
    assertThat(sender()
        .send(delivery(answering("HTTP/1.1 200 OK\r\n" + "X: y\r\n".repeat(101), false), 20))
        .failure()).isEqualTo("the head of the answer is too long");
  }

  /** Of receivers that begin so and go on so, all at the same time. */
  private List<Delivery.Result> bitByBit(int timeoutSeconds, Map<String, String> receivers) {
    return receivers.entrySet().stream()
        .map(receiver -> CompletableFuture.supplyAsync(
            () -> sender().send(delivery(
                answering(receiver.getKey(), receiver.getValue(), false), timeoutSeconds)),
            threads))
        .toList().stream().map(CompletableFuture::join).toList();
  }

  @Test
  void heads_that_arrive_bit_by_bit_are_left_after_the_time_out() {
    assertThat(bitByBit(1, Map.of("HTTP/1.1 20", "0", "HTTP/1.1 ", "\r\n", "\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\n", "X: y\r\n",
        "HTTP/1.1 200 OK\r\nX: ", "y"))).hasSize(5).allSatisfy(result -> {
          assertThat(result.status()).isNull();
          assertThat(result.failure()).isNotBlank();
          assertThat(result.durationMs()).isLessThan(5_000);
        });
  }

  @Test
  void bodies_that_arrive_bit_by_bit_are_left_after_two_seconds() {
    assertThat(bitByBit(20, Map.of("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "x",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n",
        "HTTP/1.1 200 OK\r\n\r\n", "x"))).hasSize(3).allSatisfy(result -> {
          assertThat(result.status()).isEqualTo(200);
          assertThat(result.response()).contains("xxx");
          assertThat(result.durationMs()).isBetween(1_500L, 10_000L);
        });
  }

  @Test
  void a_receiver_that_says_nothing_is_left_after_the_time_out() throws IOException {
    Delivery.Result result = sender().send(delivery(answering("", false), 1));

    assertThat(result.failure()).isEqualTo("no answer within 1 s");
    assertThat(Duration.ofMillis(result.durationMs())).isBetween(Duration.ofMillis(900),
        Duration.ofSeconds(5));
  }

  /**
   * Receives by TLS, with a certificate of its own for a name, in a key store that is also the
   * trust store of the sender that trusts it.
   */
  private HttpsServer secured(String name, Path store) throws Exception {
    Process keytool = new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
        "-alias",
        "it",
        "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "SAN=dns:" + name, "-validity", "2",
        "-storetype", "PKCS12", "-storepass",
        "changeit",
        "-keystore", store.toString()).redirectErrorStream(true).start();
    keytool.getInputStream().readAllBytes();
    assertThat(keytool.waitFor()).isZero();
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(load(store), "changeit".toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    HttpsServer https = HttpsServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    https.setHttpsConfigurator(new HttpsConfigurator(context));
    https.createContext("/in", exchange -> {
      calls.incrementAndGet();
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(204, -1);
      exchange.close();
    });
    https.start();
    return https;
  }

  private static KeyStore load(Path store) throws Exception {
    return KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
  }

  private WebhookSender trusting(Path store) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("it", load(store).getCertificate("it"));
    TrustManagerFactory trust = TrustManagerFactory
        .getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return new WebhookSender(new TargetRules(TargetRulesTest.OPEN), context.getSocketFactory(),
        InetAddress::getAllByName, timers);
  }

  private Delivery.Result sendTo(HttpsServer https, WebhookSender sender) {
    try {
      return sender.send(delivery("https://localhost:" + https.getAddress().getPort() + "/in", 10));
    } finally {
      https.stop(0);
    }
  }

  @Test
  void a_trusted_certificate_for_the_name_of_the_address_is_accepted(@TempDir Path folder)
      throws Exception {
    Path store = folder.resolve("store");

    Delivery.Result result = sendTo(secured("localhost", store), trusting(store));

    assertThat(result.failure()).isNull();
    assertThat(result.status()).isEqualTo(204);
  }

  @Test
  void a_trusted_certificate_for_another_name_is_refused_before_anything_is_sent(
      @TempDir Path folder) throws Exception {
    Path store = folder.resolve("store");

    Delivery.Result result = sendTo(secured("books.example.com", store), trusting(store));

    assertThat(result.status()).isNull();
    assertThat(result.failure()).startsWith("TLS: ").contains("localhost");
    assertThat(calls).hasValue(0);
  }

  @Test
  void a_certificate_that_is_not_trusted_is_refused_before_anything_is_sent(@TempDir Path folder)
      throws Exception {
    Delivery.Result result = sendTo(secured("localhost", folder.resolve("store")), sender());

    assertThat(result.status()).isNull();
    assertThat(result.failure()).startsWith("TLS: ").contains("certification path");
    assertThat(calls).hasValue(0);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"120|120", "Sun, 15 Jun 2025 15:08:40 GMT|120",
    "Sun, 15 Jun 2025 15:00:00 GMT|1", "soon|"})
  void retry_after_is_seconds_or_a_date(String header, Long seconds) throws IOException {
    Delivery.Result result = sender()
        .send(delivery(answering(
            "HTTP/1.1 429 Slow\r\nRetry-After: " + header + "\r\nContent-Length: 0\r\n\r\n", true),
            5));

    assertThat(result.retryAfterSeconds()).isEqualTo(seconds);
  }

  @Test
  void a_name_that_leads_to_a_forbidden_address_is_not_called() throws IOException {
    String url = answering("HTTP/1.1 200 OK\r\n\r\n", true).replace("127.0.0.1",
        "books.example.com");
    WebhookSender sender = new WebhookSender(new TargetRules(
        new ee.tasker.platform.config.Settings.WebhookSettings(true, java.util.Set.of(), List.of(),
            1)),
        (SSLSocketFactory) SSLSocketFactory.getDefault(),
        host -> new InetAddress[]{InetAddress.getByName("8.8.8.8"),
          InetAddress.getLoopbackAddress()},
        timers);

    Delivery.Result result = sender.send(delivery(url, 5));

    assertThat(result.status()).isNull();
    assertThat(result.failure()).contains("not public").doesNotContain("127");
  }

  /**
   * The DNS answers for the check and another address a moment later: the call goes to what was
   * checked.
   */
  @Test
  void a_name_is_resolved_once_for_each_call() throws IOException {
    String url = answering("HTTP/1.1 200 OK\r\n\r\n", true).replace("127.0.0.1",
        "books.example.com");
    WebhookSender sender = new WebhookSender(new TargetRules(TargetRulesTest.OPEN),
        (SSLSocketFactory) SSLSocketFactory.getDefault(),
        host -> new InetAddress[]{
          InetAddress.getByName(resolved.getAndIncrement() == 0 ? "127.0.0.1" : "10.0.0.1")},
        timers);

    assertThat(sender.send(delivery(url, 5)).status()).isEqualTo(200);
    assertThat(resolved).hasValue(1);
    assertThat(sender.send(delivery(url, 5)).failure()).contains("not public");
  }

  @Test
  void a_receiver_without_tls_or_with_another_name_is_not_told_the_event() throws IOException {
    String url = answering("HTTP/1.1 200 OK\r\n\r\n", true).replace("http:", "https:");
    assertThat(sender().send(delivery(url, 5)).failure()).startsWith("TLS: ");
  }

  @Test
  void a_port_that_is_closed_and_a_name_that_is_unknown_are_failures() throws IOException {
    String url = answering("", true);
    receivers.get(0).close();
    assertThat(sender().send(delivery(url, 5)).failure()).isIn("the connection was refused",
        "the connection broke: Connection reset");
    WebhookSender unknown = new WebhookSender(new TargetRules(TargetRulesTest.OPEN),
        (SSLSocketFactory) SSLSocketFactory.getDefault(), host -> {
          throw new java.net.UnknownHostException(host);
        }, timers);
    assertThat(unknown.send(delivery("https://books.example.com/", 5)).failure())
        .isEqualTo("the name of the host cannot be resolved");
  }
}
