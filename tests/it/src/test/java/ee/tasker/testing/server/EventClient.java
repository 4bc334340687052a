package ee.tasker.testing.server;

import ee.tasker.run.Login;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One who listens to server-sent events, as the specification of HTML has it, on a socket of its
 * own that can be cut or left
 * unread. Events gather as they come; not thread-safe but for looking at {@link #events}.
 */
public final class EventClient implements AutoCloseable {

  /** An event with data. */
  public record Received(String id, String name, JsonObject data) {
  }

  private final Socket socket;
  private final BufferedReader lines;
  private final int status;
  private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final List<Received> events = new ArrayList<>();
  private String lastId;
  private String retry;
  private int signs;
  private boolean isEnded;

  private EventClient(Socket socket, InputStream in) throws IOException {
    this.socket = socket;
    status = Integer.parseInt(line(in).split(" ")[1]);
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      headers.put(line.substring(0, line.indexOf(':')),
          line.substring(line.indexOf(':') + 1).strip());
    }
    boolean isChunked = header("Transfer-Encoding").equals("chunked");
    lines = new BufferedReader(
        new InputStreamReader(isChunked ? new Chunks(in) : in, StandardCharsets.UTF_8));
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("cut off");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  /** What is in the chunks of a body. */
  private static final class Chunks extends InputStream {
    private final InputStream in;
    private int left;
    private boolean hasBegun;

    Chunks(InputStream in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (left == 0) {
        if (hasBegun) {
          line(in);
        }
        hasBegun = true;
        left = Integer.parseInt(line(in).strip(), 16);
        if (left == 0) {
          left = -1;
        }
      }
      if (left < 0) {
        return -1;
      }
      int read = in.read(bytes, offset, Math.min(length, left));
      left -= Math.max(read, 0);
      return read;
    }
  }

  /**
   * @param lastId null for the first time @param receiveBuffer bytes that the system keeps for a
   * client that does not read; 0 for its default
   */
  public static EventClient open(URI base, String path, String lastId, int receiveBuffer) {
    return open(base, path, lastId, receiveBuffer,
        Map.of("Authorization", Login.FOR_TESTS.basic()));
  }

  /** The same by a caller with these headers. */
  public static EventClient open(URI base, String path, String lastId, int receiveBuffer,
      Map<String, String> credentials) {
    try {
      StringBuilder given = new StringBuilder();
      credentials
          .forEach((name, value) -> given.append(name).append(": ").append(value).append("\r\n"));
      Socket socket = new Socket();
      if (receiveBuffer > 0) {
        socket.setReceiveBufferSize(receiveBuffer);
      }
      socket.setSoTimeout(60_000);
      socket.connect(new java.net.InetSocketAddress(base.getHost(), base.getPort()));
      socket.getOutputStream()
          .write(("GET " + path + " HTTP/1.1\r\nHost: " + base.getAuthority()
              + "\r\nConnection: close\r\nAccept: text/event-stream, application/problem+json\r\n"
              + given + (lastId == null ? "" : "Last-Event-ID: " + lastId + "\r\n") + "\r\n")
              .getBytes(StandardCharsets.UTF_8));
      return new EventClient(socket, new BufferedInputStream(socket.getInputStream()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int status() {
    return status;
  }

  public String header(String name) {
    return headers.getOrDefault(name, "");
  }

  /** What has come so far. */
  public List<Received> events() {
    return events;
  }

  /** From which to go on. */
  public String lastId() {
    return lastId;
  }

  public String retry() {
    return retry;
  }

  /** How many signs of life came between events. */
  public int signs() {
    return signs;
  }

  /** Reads on until the next event with data. @return null when the stream has ended */
  public Received next() {
    try {
      String name = "message";
      StringBuilder data = new StringBuilder();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int colon = line.indexOf(':');
        String value = colon < 0 ? "" : line.substring(colon + 1).strip();
        if (line.isEmpty() && data.length() > 0) {
          if (name.equals("alive")) {
            signs++;
            name = "message";
            data.setLength(0);
            continue;
          }
          Received event = new Received(lastId, name,
              Json.createReader(new StringReader(data.toString())).readObject());
          events.add(event);
          return event;
        } else if (line.startsWith("id:")) {
          lastId = value;
        } else if (line.startsWith("event:")) {
          name = value;
        } else if (line.startsWith("retry:")) {
          retry = value;
        } else if (line.startsWith("data:")) {
          data.append(value);
        }
      }
      isEnded = true;
      return null;
    } catch (SocketTimeoutException silence) {
      return null;
    } catch (IOException e) {
      isEnded = true;
      return null;
    }
  }

  /** Whether the server has ended the stream, which is more than silence. */
  public boolean isEnded() {
    return isEnded;
  }

  /** Reads on until there was a sign of life. */
  public void awaitSign() {
    try {
      boolean isSign = false;
      for (String line = lines.readLine(); !(isSign && line.isEmpty()); line = lines.readLine()) {
        if (line == null) {
          throw new AssertionError("the stream ended");
        }
        if (line.startsWith("id:")) {
          lastId = line.substring(3).strip();
        }
        isSign |= line.equals("event: alive");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Cut, as a network would, without a word. */
  @Override
  public void close() {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
