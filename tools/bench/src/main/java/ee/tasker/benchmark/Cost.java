package ee.tasker.benchmark;

/** The total cost of a number of steps. Figures that could not be measured are NaN. */
record Cost(String what, double steps, double seconds, double transactions, double statements,
    double walBytes, Counters.Log log, double fsyncs, Cpu cpu) {
  private static final String TITLE = "Cost per step";

  static void begin(Report report) {
    report.costs(report.table(TITLE, "phase", "steps", "transactions", "write commits",
        "statements", "WAL bytes", "WAL records",
        "WAL bytes of page images",
        "fsyncs", "CPU ms servers", "CPU ms database", "CPU ms load"));
  }

  void addTo(Report report) {
    report.costs().row(what, steps, transactions / steps, log.writeCommits() / steps,
        statements / steps, walBytes / steps, log.records() / steps, log.pageImageBytes() / steps,
        fsyncs / steps, cpu.servers() * 1000 / steps, cpu.database() * 1000 / steps,
        cpu.generator() * 1000 / steps);
  }

  double writeCommitsPerStep() {
    return Double.isNaN(log.writeCommits()) ? transactions / steps : log.writeCommits() / steps;
  }

  double recordBytesPerStep() {
    return log.recordBytes() / steps;
  }

  double databaseMicrosPerStep() {
    return cpu.database() * 1e6 / steps;
  }

  double walBytesPerStep() {
    return walBytes / steps;
  }
}
