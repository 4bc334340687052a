/**
 * Spans for whoever watches the system with OpenTelemetry, where the server offers that: MicroProfile Telemetry, or any bean of
 * type {@code OpenTelemetry}. Elsewhere, and while it is switched off, {@link ee.tasker.tracing.Tracing} is there and does
 * nothing.
 *
 * <p>Only {@code OpenTelemetrySpans} names classes of OpenTelemetry. They are not in the WAR: a server may have them or not, so it
 * is loaded when they are there.
 */
package ee.tasker.tracing;
