package ee.tasker.run;

/** Where a PostgreSQL is, and as whom to enter it. */
public record DatabaseAddress(String host, int port, String name, String user, String password) {

  public String jdbcUrl() {
    return "jdbc:postgresql://" + host + ":" + port + "/" + name;
  }

  public static DatabaseAddress embedded(int port) {
    return new DatabaseAddress("127.0.0.1", port, "tasker", "tasker", "tasker");
  }
}
