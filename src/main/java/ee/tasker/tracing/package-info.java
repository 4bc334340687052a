/**
 * Spans for OpenTelemetry, if the server provides it through MicroProfile Telemetry or any bean of
 * type {@code
 * OpenTelemetry}. Otherwise, or while it is disabled, {@link ee.tasker.tracing.Tracing} does
 * nothing.
 *
 * <p>Only {@code OpenTelemetrySpans} refers to classes of OpenTelemetry. The WAR does not contain
 * them: the class is loaded
 * only on servers that provide them.
 */
package ee.tasker.tracing;
