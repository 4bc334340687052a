package ee.tasker.benchmark;

/** What some steps cost altogether. Figures that could not be had are NaN. */
record Cost(String what, double steps, double seconds, double transactions, double writeCommits, double statements, double walBytes,
    double walRecords, double walPageImages, double fsyncs, Cpu cpu) {
  private static final String TITLE = "Cost per step";

  static void begin(Report report) {
    report.costs(report.table(TITLE, "phase", "steps", "transactions", "write commits", "statements", "WAL bytes", "WAL records", "page images",
        "fsyncs", "CPU ms servers", "CPU ms database", "CPU ms load"));
  }

  void addTo(Report report) {
    report.costs().row(what, steps, transactions / steps, writeCommits / steps, statements / steps, walBytes / steps, walRecords / steps,
        walPageImages / steps, fsyncs / steps, cpu.servers() * 1000 / steps, cpu.database() * 1000 / steps, cpu.generator() * 1000 / steps);
  }

  double writeCommitsPerStep() {
    return Double.isNaN(writeCommits) ? transactions / steps : writeCommits / steps;
  }

  double walBytesPerStep() {
    return walBytes / steps;
  }
}
