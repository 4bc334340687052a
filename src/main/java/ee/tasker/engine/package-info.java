/**
 * The shared types of the database engine: its vocabulary ({@code model}) and its replies ({@code
 * reply}).
 */
package ee.tasker.engine;
