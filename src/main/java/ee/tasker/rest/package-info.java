/**
 * HTTP: resources that read a request, call one facade and show what it says, and the mapping of problems. Imported by
 * nobody. Paths and fields are in {@code openapi.yaml}, which a test holds against these classes.
 */
package ee.tasker.rest;
