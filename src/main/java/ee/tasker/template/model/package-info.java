/**
 * The template as a value: what a task is made of, before there is any task.
 *
 * <p>{@link ee.tasker.template.model.TemplateDefinition} is the root. Every record refuses nonsense in its constructor
 * with a sentence that names the field, so a definition that exists is a definition that holds together: step names are
 * unique, dependencies exist, there is no cycle. Defaults are filled in by whoever reads the template, never later.
 *
 * <p>Parts that only user code understands (schemas, handler configuration, metadata) are kept as JSON text with sorted
 * keys and no blanks, because this package knows the JDK and nothing else.
 *
 * <p>It is not the place for reading YAML, for positions in a file or for JSON objects: that is
 * {@code ee.tasker.template}.
 */
package ee.tasker.template.model;
