package ee.tasker.webhook;

import ee.tasker.platform.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
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
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultBHttpClientConnection;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.apache.hc.core5.http.protocol.HttpCoreContext;

/**
 * Sends one delivery over HTTP/1.1, with a connection of its own, in the time that its webhook
 * allows. The connection is made here, because a name is resolved once, all its addresses are
 * checked, and exactly those are used (ADR 0054); HttpCore writes the request on it and reads the
 * answer (ADR 0101). Does not follow redirects, uses no proxy, and reads a few KiB of the answer.
 * Thread-safe.
 */
final class WebhookSender {
  private static final int MOST_ADDRESSES = 4;
  private static final HttpRequestExecutor MESSAGES = new HttpRequestExecutor();
  private static final ContentType EVENT = ContentType
      .create("application/cloudevents+json", StandardCharsets.UTF_8);
  private static final int MOST_BODY_BYTES = 4_096;
  private static final int MOST_KEPT_CHARACTERS = 1_024;
  /** For the body, of which only the beginning is kept: the status decides. */
  private static final long BODY_NS = TimeUnit.SECONDS.toNanos(2);

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

  private record Reply(int status, String retryAfter, String body) {
  }

  Delivery.Result send(Delivery delivery) {
    long begin = System.nanoTime();
    try {
      Reply reply = exchange(delivery, rules.check(delivery.url()),
          begin + TimeUnit.SECONDS.toNanos(delivery.timeoutSeconds()));
      return new Delivery.Result(delivery, reply.status(), null, reply.body(),
          retryAfter(reply.retryAfter(), delivery.seconds()),
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
    Future<?> end = closeIn(deadline - System.nanoTime(), socket);
    try (socket) {
      return exchange(target.isTls() ? secured(socket, target, deadline) : socket,
          request(delivery, target));
    } finally {
      end.cancel(false);
    }
  }

  private Future<?> closeIn(long nanos, Socket socket) {
    return timers.schedule(() -> close(socket), nanos, TimeUnit.NANOSECONDS);
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

  private static ClassicHttpRequest request(Delivery delivery, TargetRules.Target target) {
    byte[] body = delivery.body().getBytes(StandardCharsets.UTF_8);
    String id = delivery.eventId().toString();
    return ClassicRequestBuilder.post().setPath(target.path())
        .setHeader("Host", target.authority())
        .setHeader("User-Agent", "tasker-ee")
        .setHeader("Accept", "*/*")
        .setHeader("Connection", "close")
        .setHeader("Content-Length", Integer.toString(body.length))
        .setHeader("Content-Type", EVENT.toString())
        .setHeader("webhook-id", id)
        .setHeader("webhook-timestamp", Long.toString(delivery.seconds()))
        .setHeader("webhook-signature",
            Signature.of(delivery.secrets(), id, delivery.seconds(), body))
        .setHeader("tasker-webhook", delivery.webhook().toString())
        .setHeader("tasker-delivery", delivery.uuid().toString())
        .setHeader("tasker-attempt", Integer.toString(delivery.attempt()))
        .setEntity(new ByteArrayEntity(body, EVENT))
        .build();
  }

  private Reply exchange(Socket socket, ClassicHttpRequest request) throws IOException {
    // Which reads lines of 8 KiB at most, and a hundred of them.
    DefaultBHttpClientConnection connection = new DefaultBHttpClientConnection(
        Http1Config.DEFAULT);
    connection.bind(socket);
    ClassicHttpResponse response;
    try {
      response = MESSAGES.execute(request, connection, HttpCoreContext.create());
    } catch (HttpException fault) {
      throw new ProtocolException("the answer is not one of HTTP");
    } catch (MessageConstraintException fault) {
      throw new ProtocolException("the head of the answer is too long");
    } catch (ConnectionClosedException | NoHttpResponseException fault) {
      throw new SocketException("the receiver closed it before its answer was complete");
    }
    Header retryAfter = response.getFirstHeader("Retry-After");
    return new Reply(response.getCode(), retryAfter == null ? null : retryAfter.getValue(),
        response.getEntity() == null ? "" : beginning(response.getEntity(), socket));
  }

  /** Of the body, for the record; whatever is wrong with it. */
  private String beginning(HttpEntity entity, Socket socket) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    Future<?> end = closeIn(BODY_NS, socket);
    try {
      InputStream in = entity.getContent();
      byte[] part = new byte[MOST_KEPT_CHARACTERS];
      for (int n = in.read(part); n >= 0; n = in.read(part)) {
        body.write(part, 0, n);
        if (body.size() >= MOST_BODY_BYTES) {
          break;
        }
      }
    } catch (IOException e) {
      // The status has arrived, and decides.
    } finally {
      end.cancel(false);
    }
    String text = body.toString(StandardCharsets.UTF_8).replaceAll("[\\p{Cntrl}&&[^\\n\\t]]|\uFFFD",
        "?");
    return text.length() <= MOST_KEPT_CHARACTERS ? text : text.substring(0, MOST_KEPT_CHARACTERS);
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
