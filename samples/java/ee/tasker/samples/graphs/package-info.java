/** Arithmetic on graphs: the shapes linear, diamond, complex DAG and tree, whose results tell at a glance whether every
 * edge carried what it should. */
package ee.tasker.samples.graphs;
