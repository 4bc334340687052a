/**
 * The benchmark: {@code ./mvnw -Pbenchmark}. A durable PostgreSQL of its own, real servers, HTTP
 * from this process, and the
 * cost of each step.
 *
 * <p>{@link ee.tasker.benchmark.Benchmark} runs {@link ee.tasker.benchmark.Phase phases} one after
 * another; each drives
 * {@link ee.tasker.benchmark.Servers}, reads {@link ee.tasker.benchmark.Counters} of the {@link
 * ee.tasker.benchmark.Database} before and after, and writes to the {@link
 * ee.tasker.benchmark.Report}. {@code
 * docs/benchmarks.md} explains the figures.
 */
package ee.tasker.benchmark;
