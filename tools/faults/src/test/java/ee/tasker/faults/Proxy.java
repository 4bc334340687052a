package ee.tasker.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A proxy between one server and the database. It can drop all traffic silently, reset all
 * connections, and withhold the
 * reply to one commit from the server.
 */
final class Proxy implements AutoCloseable {
  /** CommandComplete of a COMMIT, in PostgreSQL's protocol: the commit is on disk by then. */
  private static final byte[] COMMITTED = {'C', 0, 0, 0, 11, 'C', 'O', 'M', 'M', 'I', 'T', 0};

  private final int databasePort;
  private final ServerSocket listening;
  private final Set<Line> lines = ConcurrentHashMap.newKeySet();
  private boolean silent;

  Proxy(int databasePort) throws IOException {
    this.databasePort = databasePort;
    this.listening = new ServerSocket(0, 200, InetAddress.getByName("127.0.0.1"));
    start("accept", this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket server = listening.accept();
        try {
          Line line = new Line(server, new Socket("127.0.0.1", databasePort));
          lines.add(line);
          line.start();
        } catch (IOException e) {
          // The database is down: the server sees its connection end.
          server.close();
        }
      }
    } catch (IOException closed) {
      cut();
    }
  }

  /** From now on nothing passes, in either direction, and neither side is notified. */
  synchronized void fallSilent() {
    silent = true;
  }

  /** Everything that was held back passes. */
  synchronized void speak() {
    silent = false;
    notifyAll();
  }

  private synchronized void awaitSpeech(Line line) throws InterruptedException {
    while (silent && !line.isClosed()) {
      wait(100);
    }
  }

  /** Resets every connection. */
  void cut() {
    lines.forEach(Line::close);
  }

  /** Whether a connection of this proxy reaches the database from that port. */
  boolean leadsFrom(int clientPort) {
    return lines.stream().anyMatch(each -> each.clientPort == clientPort);
  }

  /**
   * Withholds the reply to the next commit on the connection that reached the database from the
   * given port.
   *
   * @return done when the commit has happened and its reply is withheld, until the connection is
   *   closed
   */
  CompletableFuture<Void> keepCommitReply(int clientPort) {
    Line line = lines.stream().filter(each -> each.clientPort == clientPort).findFirst()
        .orElseThrow(() -> new IllegalStateException("no connection from port " + clientPort));
    CompletableFuture<Void> kept = new CompletableFuture<>();
    line.kept = kept;
    return kept;
  }

  @Override
  public void close() throws IOException {
    listening.close();
    speak();
    cut();
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, "faults-proxy-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private final class Line {
    private final Socket server;
    private final Socket database;
    private final int clientPort;
    private volatile CompletableFuture<Void> kept;

    Line(Socket server, Socket database) throws IOException {
      this.server = server;
      this.database = database;
      this.clientPort = database.getLocalPort();
      server.setTcpNoDelay(true);
      database.setTcpNoDelay(true);
    }

    void start() {
      Proxy.start("up", () -> pump(server, database, false));
      Proxy.start("down", () -> pump(database, server, true));
    }

    private void pump(Socket from, Socket to, boolean isReply) {
      byte[] buffer = new byte[16_384];
      boolean keepsReply = false;
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int length; (length = in.read(buffer)) >= 0;) {
          awaitSpeech(this);
          if (isReply && kept != null && contains(buffer, length)) {
            // The connection stays open and silent, until one side closes it.
            keepsReply = true;
            kept.complete(null);
            return;
          }
          out.write(buffer, 0, length);
        }
      } catch (IOException | InterruptedException ended) {
        // both sides are told below
      } finally {
        if (!keepsReply) {
          close();
        }
      }
    }

    boolean isClosed() {
      return server.isClosed();
    }

    void close() {
      lines.remove(this);
      for (Socket socket : new Socket[]{server, database}) {
        try {
          socket.setSoLinger(true, 0);
          socket.close();
        } catch (IOException e) {
          // it is closed
        }
      }
    }

    private static boolean contains(byte[] buffer, int length) {
      for (int start = 0; start + COMMITTED.length <= length; start++) {
        if (java.util.Arrays.equals(buffer, start, start + COMMITTED.length, COMMITTED, 0,
            COMMITTED.length)) {
          return true;
        }
      }
      return false;
    }
  }
}
