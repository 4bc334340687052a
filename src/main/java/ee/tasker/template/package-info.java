/**
 * Templates: from the text a user wrote to a definition that can be run, or to everything that is wrong with it.
 *
 * <ul>
 *   <li>{@link ee.tasker.template.TemplateFiles} finds the texts on the class path and in folders.
 *   <li>{@link ee.tasker.template.TemplateReader} reads one, YAML or JSON, and names every problem with line and column.
 *   <li>{@link ee.tasker.template.TemplateJson} writes the normal form with every default filled in, and its hash.
 *   <li>{@link ee.tasker.template.ContextSchema} validates a context or a result against a schema of the template.
 * </ul>
 *
 * <p>The definition itself is {@link ee.tasker.template.model}. All of this is pure: text and values in, values out. A
 * template goes text, YAML nodes ({@code YamlDocument}), keys and values with their place ({@code Keys},
 * {@code Located}), drafts of its steps ({@code StepDraft}), definition; problems are collected on the way and the
 * definition is built only when there are none.
 *
 * <p>It is not the place for deciding whether a handler exists or a namespace may be used, nor for limits on the size of
 * a context.
 */
package ee.tasker.template;
