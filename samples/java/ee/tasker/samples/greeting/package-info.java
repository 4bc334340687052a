/** The handler of the sample greeting, the first workflow of the README. */
package ee.tasker.samples.greeting;
