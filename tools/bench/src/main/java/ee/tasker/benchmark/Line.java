package ee.tasker.benchmark;

import ee.tasker.run.Login;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * One kept-alive HTTP/1.1 connection, one request at a time. Bare, because the load generator
 * shares the processors with
 * what it measures. Not thread-safe.
 */
final class Line implements AutoCloseable {
  private static final int TIMEOUT_MS = 120_000;
  private static final String AUTHORIZATION = Login.FOR_TESTS.basic();

  private final int port;
  private Socket socket;
  private InputStream in;
  private OutputStream out;

  /** A server's answer. */
  record Answer(int status, byte[] body) {
    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  Line(int port) throws IOException {
    this.port = port;
    connect();
  }

  Answer post(String path, byte[] body) throws IOException {
    return post(path, "application/json", body);
  }

  Answer post(String path, String type, byte[] body) throws IOException {
    return send("POST", path, type, body);
  }

  Answer send(String method, String path, String type, byte[] body) throws IOException {
    byte[] head = (method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port
        + "\r\nAuthorization: " + AUTHORIZATION
        + "\r\nContent-Type: "
        + type + "\r\nAccept: */*\r\nContent-Length: "
        + body.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    byte[] request = new byte[head.length + body.length];
    System.arraycopy(head, 0, request, 0, head.length);
    System.arraycopy(body, 0, request, head.length, body.length);
    return send(request);
  }

  private Answer send(byte[] request) throws IOException {
    if (socket == null) {
      connect();
    }
    out.write(request);
    out.flush();
    return read();
  }

  private Answer read() throws IOException {
    int status = Integer.parseInt(line().split(" ")[1]);
    int length = -1;
    boolean isChunked = false;
    boolean closes = false;
    for (String header = line(); !header.isEmpty(); header = line()) {
      String lower = header.toLowerCase(java.util.Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring(15).strip());
      } else if (lower.startsWith("transfer-encoding:")) {
        isChunked = lower.endsWith("chunked");
      } else if (lower.startsWith("connection:")) {
        closes = lower.endsWith("close");
      }
    }
    byte[] body = isChunked ? chunks() : exactly(Math.max(length, 0));
    if (closes) {
      close();
    }
    return new Answer(status, body);
  }

  private byte[] chunks() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int size = Integer.parseInt(line().split(";")[0].strip(), 16);
      body.writeBytes(exactly(size));
      line();
      if (size == 0) {
        return body.toByteArray();
      }
    }
  }

  private byte[] exactly(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("the server closed the connection within an answer");
    }
    return bytes;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder(64);
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  private void connect() throws IOException {
    socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MS);
    in = new BufferedInputStream(socket.getInputStream(), 16_384);
    out = socket.getOutputStream();
  }

  @Override
  public void close() throws IOException {
    if (socket != null) {
      socket.close();
      socket = null;
    }
  }
}
