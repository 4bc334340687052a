/** Values about steps that need nothing but the JDK. */
package ee.tasker.step.model;
