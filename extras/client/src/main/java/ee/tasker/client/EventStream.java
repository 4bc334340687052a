package ee.tasker.client;

import jakarta.json.Json;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonValue;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Server-sent events, in order, without gap or repetition: if the connection breaks or goes silent,
 * the stream reconnects and goes on
 * after the last event that it delivered. For one thread; {@link #close} may come from another.
 */
public final class EventStream implements AutoCloseable {
  /** The server sends something every 15 s, if it is not configured otherwise. */
  private static final Duration SILENCE = Duration.ofSeconds(60);

  private final TaskerClient client;
  private final Call call;
  private String lastEventId;
  private Duration patience = Duration.ofMinutes(1);
  private volatile Connection connection;
  private boolean ended;
  private volatile boolean closed;

  EventStream(TaskerClient client, Call call, String lastEventId) {
    this.client = client;
    this.call = call;
    this.lastEventId = lastEventId;
  }

  /** For how long the stream tries to reconnect before it gives up; a minute. */
  public EventStream reconnectFor(Duration patience) {
    this.patience = patience;
    return this;
  }

  /** The id after which another stream would go on; null before the first event. */
  public String lastEventId() {
    return lastEventId;
  }

  /**
   * The next event, waiting for it; keep-alives are not delivered.
   *
   * @return empty after the event {@code end}, or when the stream was closed
   * @throws ProblemException if the server refuses the stream
   * @throws UnreachableException if it cannot be reached for longer than {@link #reconnectFor}
   */
  public Optional<TaskEvent> next() {
    while (!closed && !ended) {
      try {
        if (connection == null) {
          connect();
        }
        TaskEvent event = read();
        if (event == null) {
          disconnect();
          continue;
        }
        if (event.id() != null) {
          lastEventId = event.id();
        }
        ended = event.type().equals("end");
        if (!event.type().equals("alive")) {
          return Optional.of(event);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UnreachableException("The stream was interrupted", e);
      }
    }
    return Optional.empty();
  }

  private void connect() throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    if (lastEventId != null) {
      call.header("Last-Event-ID", lastEventId);
    }
    for (long delay = 250;; delay = Math.min(5000, delay * 2)) {
      try {
        connection = new Connection(client.open(call));
        return;
      } catch (UnreachableException e) {
        if (closed || System.nanoTime() + delay * 1_000_000 > end) {
          throw e;
        }
      } catch (ProblemException e) {
        if (e.status() / 100 != 5 || System.nanoTime() + delay * 1_000_000 > end) {
          throw e;
        }
        delay = Math.max(delay, Math.min(5000, e.retryAfter().orElse(Duration.ZERO).toMillis()));
      }
      Thread.sleep(delay);
    }
  }

  /** @return null if the connection is broken or silent */
  private TaskEvent read() throws InterruptedException {
    String id = null;
    String type = "message";
    StringBuilder data = new StringBuilder();
    while (true) {
      Line line = connection.lines.poll(SILENCE.toMillis(), TimeUnit.MILLISECONDS);
      if (line == null || line.broken()) {
        return null;
      }
      String text = line.text();
      int colon = text.indexOf(':');
      String field = colon < 0 ? text : text.substring(0, colon);
      String value = colon < 0 ? ""
          : text.substring(text.startsWith(": ", colon) ? colon + 2 : colon + 1);
      switch (field) {
        case "id" -> id = value;
        case "event" -> type = value;
        case "data" -> data.append(data.isEmpty() ? "" : "\n").append(value);
        case "" -> {
          if (text.isEmpty() && (id != null || !data.isEmpty())) {
            return new TaskEvent(id, type, json(data.toString()));
          }
        }
        default -> {
          // retry, and what may come.
        }
      }
    }
  }

  private static JsonObject json(String data) {
    try (JsonReader reader = Json.createReader(new StringReader(data))) {
      return data.isBlank() ? JsonValue.EMPTY_JSON_OBJECT : reader.readObject();
    } catch (JsonException e) {
      return JsonValue.EMPTY_JSON_OBJECT;
    }
  }

  private void disconnect() {
    Connection old = connection;
    connection = null;
    if (old != null) {
      old.close();
    }
  }

  /** Ends the connection; a thread that waits in {@link #next} gets empty. */
  @Override
  public void close() {
    closed = true;
    Connection open = connection;
    if (open != null) {
      open.close();
    }
  }

  private record Line(String text, boolean broken) {
  }

  /**
   * Reads lines in a thread of its own, because a stream of the HTTP client has no read time-out.
   */
  private static final class Connection {
    private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>(1000);
    private final InputStream stream;
    private final Thread reader;

    Connection(InputStream stream) {
      this.stream = stream;
      reader = new Thread(this::read, "tasker-events");
      reader.setDaemon(true);
      reader.start();
    }

    private void read() {
      try (BufferedReader text = new BufferedReader(
          new InputStreamReader(stream, StandardCharsets.UTF_8))) {
        for (String line = text.readLine(); line != null; line = text.readLine()) {
          lines.put(new Line(line, false));
        }
      } catch (IOException e) {
        // The consumer reconnects.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        lines.offer(new Line("", true));
      }
    }

    void close() {
      try {
        stream.close();
      } catch (IOException e) {
        // It is no longer used.
      }
      reader.interrupt();
    }
  }
}
