/**
 * HTTP: resources that read a request, call one facade and return its answer, and the mapping of
 * problems. No other
 * component imports it. Paths and fields are described in {@code openapi.yaml}, which a test
 * compares with these classes.
 */
package ee.tasker.rest;
