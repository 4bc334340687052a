package ee.tasker.run;

/** The address of a PostgreSQL server, and the user to connect as. */
public record DatabaseAddress(String host, int port, String name, String user, String password) {

  public String jdbcUrl() {
    return "jdbc:postgresql://" + host + ":" + port + "/" + name;
  }

  public static DatabaseAddress embedded(int port) {
    return new DatabaseAddress("127.0.0.1", port, "tasker", "tasker", "tasker");
  }
}
