/**
 * Arithmetic on graphs: the shapes linear, diamond, complex DAG and tree, whose results show at a
 * glance whether every edge
 * passed on its value.
 */
package ee.tasker.samples.graphs;
