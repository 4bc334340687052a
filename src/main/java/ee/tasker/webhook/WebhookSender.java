package ee.tasker.webhook;

import ee.tasker.platform.Problem;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Sends one delivery over HTTP/1.1, with a connection of its own, in the time that its webhook
 * allows. Written on sockets because the client of the JDK resolves a name itself
 * and does not tell which address it has connected to: here the addresses are resolved once,
 * checked, and used (ADR 0054). Does not follow redirects, uses no proxy, and
 * reads a few KiB of the answer. Thread-safe.
 */
final class WebhookSender {
  private static final int MOST_ADDRESSES = 4;
  private static final int MOST_HEAD_BYTES = 16_384;
  private static final int MOST_BODY_BYTES = 4_096;
  private static final int MOST_KEPT_CHARACTERS = 1_024;
  /** For the body, of which only the beginning is kept: the status decides. */
  private static final long BODY_MS = 2_000;

  /** The addresses of a name. */
  interface Resolver {
    InetAddress[] resolve(String host) throws UnknownHostException;
  }

  private final TargetRules rules;
  private final SSLSocketFactory tls;
  private final Resolver resolver;
  private final ScheduledExecutorService timers;

  /** @param timers end calls that take too long */
  WebhookSender(TargetRules rules, SSLSocketFactory tls, Resolver resolver,
      ScheduledExecutorService timers) {
    this.rules = rules;
    this.tls = tls;
    this.resolver = resolver;
    this.timers = timers;
  }

  private record Reply(int status, Map<String, String> headers, String body) {
  }

  Delivery.Result send(Delivery delivery) {
    long begin = System.nanoTime();
    try {
      Reply reply = exchange(delivery, rules.check(delivery.url()),
          begin + TimeUnit.SECONDS.toNanos(delivery.timeoutSeconds()));
      return new Delivery.Result(delivery, reply.status(), null, reply.body(),
          retryAfter(reply.headers().get("retry-after"), delivery.seconds()),
          millisSince(begin), false);
    } catch (IOException | Problem fault) {
      return Delivery.Result.failed(delivery, said(fault, delivery, begin), millisSince(begin));
    }
  }

  private static long millisSince(long begin) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
  }

  /**
   * For the owner of the webhook: nothing about addresses, which would tell about the network of
   * the servers.
   */
  private static String said(Exception fault, Delivery delivery, long begin) {
    if (fault instanceof Problem || fault instanceof ProtocolException) {
      return fault.getMessage();
    }
    if (fault instanceof SocketTimeoutException
        || millisSince(begin) >= delivery.timeoutSeconds() * 1_000L) {
      return "no answer within " + delivery.timeoutSeconds() + " s";
    }
    if (fault instanceof UnknownHostException) {
      return "the name of the host cannot be resolved";
    }
    if (fault instanceof SSLException) {
      return "TLS: " + fault.getMessage();
    }
    return fault instanceof ConnectException ? "the connection was refused"
        : "the connection broke: " + fault.getMessage();
  }

  private Reply exchange(Delivery delivery, TargetRules.Target target, long deadline)
      throws IOException {
    Socket socket = connect(target, deadline);
    // A timeout of a socket is for one read; this ends a receiver that sends a byte now and then,
    // or does not read.
    Future<?> end = timers.schedule(() -> close(socket), deadline - System.nanoTime(),
        TimeUnit.NANOSECONDS);
    try (socket) {
      Socket secure = target.isTls() ? secured(socket, target, deadline) : socket;
      write(secure.getOutputStream(), delivery, target);
      return read(secure, deadline);
    } finally {
      end.cancel(false);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed.
    }
  }

  private static int millisUntil(long deadline) throws SocketTimeoutException {
    long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    if (left <= 0) {
      throw new SocketTimeoutException();
    }
    return (int) left;
  }

  /**
   * All addresses of a name must be allowed, since one who controls the name could have a forbidden
   * one tried by failing the others.
   */
  private Socket connect(TargetRules.Target target, long deadline) throws IOException {
    InetAddress[] addresses = resolver.resolve(target.host());
    for (InetAddress address : addresses) {
      if (!rules.isAllowed(address)) {
        throw new ProtocolException(
            "the host has an address that is not public and not in tasker.webhooks.allow-addresses");
      }
    }
    IOException last = new UnknownHostException();
    for (int i = 0; i < Math.min(addresses.length, MOST_ADDRESSES); i++) {
      Socket socket = new Socket(java.net.Proxy.NO_PROXY);
      try {
        int left = millisUntil(deadline);
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(addresses[i], target.port()),
            i + 1 < addresses.length ? (left + 1) / 2 : left);
        socket.setSoTimeout(millisUntil(deadline));
        return socket;
      } catch (IOException fault) {
        close(socket);
        last = fault;
      }
    }
    throw last;
  }

  private SSLSocket secured(Socket socket, TargetRules.Target target, long deadline)
      throws IOException {
    SSLSocket secure = (SSLSocket) tls.createSocket(socket, target.host(), target.port(), true);
    SSLParameters parameters = secure.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secure.setSSLParameters(parameters);
    secure.setSoTimeout(millisUntil(deadline));
    secure.startHandshake();
    return secure;
  }

  private static void write(OutputStream out, Delivery delivery, TargetRules.Target target)
      throws IOException {
    byte[] body = delivery.body().getBytes(StandardCharsets.UTF_8);
    String id = delivery.eventId().toString();
    String head = "POST " + target.path() + " HTTP/1.1\r\n"
        + "Host: " + target.authority() + "\r\n"
        + "User-Agent: tasker-ee\r\n"
        + "Accept: */*\r\n"
        + "Connection: close\r\n"
        + "Content-Type: application/cloudevents+json; charset=utf-8\r\n"
        + "Content-Length: " + body.length + "\r\n"
        + "webhook-id: " + id + "\r\n"
        + "webhook-timestamp: " + delivery.seconds() + "\r\n"
        + "webhook-signature: " + Signature.of(delivery.secrets(), id, delivery.seconds(), body)
        + "\r\n"
        + "tasker-webhook: " + delivery.webhook() + "\r\n"
        + "tasker-delivery: " + delivery.uuid() + "\r\n"
        + "tasker-attempt: " + delivery.attempt() + "\r\n\r\n";
    ByteArrayOutputStream whole = new ByteArrayOutputStream(head.length() + body.length);
    whole.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
    whole.writeBytes(body);
    whole.writeTo(out);
    out.flush();
  }

  private static Reply read(Socket socket, long deadline) throws IOException {
    InputStream in = new BufferedInputStream(socket.getInputStream());
    int[] left = {MOST_HEAD_BYTES};
    int status;
    Map<String, String> headers;
    do {
      status = status(line(in, left, socket, deadline));
      headers = new TreeMap<>();
      for (String line = line(in, left, socket, deadline); !line.isEmpty(); line = line(in, left,
          socket, deadline)) {
        int colon = line.indexOf(':');
        if (colon > 0) {
          headers.putIfAbsent(line.substring(0, colon).strip().toLowerCase(Locale.ROOT),
              line.substring(colon + 1).strip());
        }
      }
    } while (status < 200);
    return new Reply(status, headers,
        body(in, headers, socket,
            Math.min(deadline, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(BODY_MS))));
  }

  private static int status(String line) throws ProtocolException {
    if (!line.matches("HTTP/1\\.[01] [1-5][0-9][0-9]( .*)?")) {
      throw new ProtocolException("the answer is not one of HTTP");
    }
    return Integer.parseInt(line.substring(9, 12));
  }

  private static String line(InputStream in, int[] left, Socket socket, long deadline)
      throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = next(in, socket, deadline); c != '\n'; c = next(in, socket, deadline)) {
      if (c < 0) {
        throw new SocketException("the receiver closed it before its answer was complete");
      }
      if (--left[0] < 0) {
        throw new ProtocolException("the head of the answer is too long");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  private static int next(InputStream in, Socket socket, long deadline) throws IOException {
    if (in.available() == 0) {
      socket.setSoTimeout(millisUntil(deadline));
    }
    return in.read();
  }

  /** The beginning of the body, for the record; whatever is wrong with it. */
  private static String body(InputStream in, Map<String, String> headers, Socket socket,
      long deadline) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    try {
      boolean isChunked = headers.getOrDefault("transfer-encoding", "").toLowerCase(Locale.ROOT)
          .contains("chunked");
      if (isChunked) {
        for (long size = chunkSize(in, socket, deadline); size > 0
            && body.size() < MOST_BODY_BYTES; size = chunkSize(in, socket, deadline)) {
          copy(in, body, size, socket, deadline);
          line(in, new int[]{2}, socket, deadline);
        }
      } else {
        copy(in, body, length(headers.get("content-length")), socket, deadline);
      }
    } catch (IOException | NumberFormatException e) {
      // The status has arrived, and decides.
    }
    String text = body.toString(StandardCharsets.UTF_8).replaceAll("[\\p{Cntrl}&&[^\\n\\t]]|\uFFFD",
        "?");
    return text.length() <= MOST_KEPT_CHARACTERS ? text : text.substring(0, MOST_KEPT_CHARACTERS);
  }

  private static long length(String header) {
    return header == null ? Long.MAX_VALUE : Long.parseLong(header);
  }

  private static long chunkSize(InputStream in, Socket socket, long deadline) throws IOException {
    return Long.parseLong(line(in, new int[]{256}, socket, deadline).replaceFirst("[; ].*", ""),
        16);
  }

  private static void copy(InputStream in, ByteArrayOutputStream body, long length, Socket socket,
      long deadline) throws IOException {
    for (long n = 0; n < length && body.size() < MOST_BODY_BYTES; n++) {
      int c = next(in, socket, deadline);
      if (c < 0) {
        return;
      }
      body.write(c);
    }
  }

  /** Seconds, or a date; null for anything else. */
  private static Long retryAfter(String header, long now) {
    if (header == null) {
      return null;
    }
    if (header.matches("[0-9]{1,9}")) {
      return Long.parseLong(header);
    }
    try {
      Instant until = ZonedDateTime.parse(header, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return Math.max(until.getEpochSecond() - now, 1);
    } catch (DateTimeException e) {
      return null;
    }
  }
}
