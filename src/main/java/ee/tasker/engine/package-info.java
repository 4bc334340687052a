/** The types that the components share about the engine in the database: its words ({@code model}) and its replies ({@code reply}). */
package ee.tasker.engine;
