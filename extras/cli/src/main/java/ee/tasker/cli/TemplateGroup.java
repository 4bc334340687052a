package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.LOCAL;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about templates. */
final class TemplateGroup {
  private TemplateGroup() {}

  static List<Command> commands() {
    return List.of(
        Command.of("list", "Lists the templates.").calls(Operation.LIST_TEMPLATES)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"))
            .shows(View.rows("templates", "NAMESPACE=namespace", "NAME=name", "VERSION=version",
                "STEPS=total_steps",
                "DESCRIPTION=description",
                "+IDENTITY=identity_strategy", "+REUSE=reuse", "+CREATED=created_at"))
            .example("tasker template list --namespace payments"),
        Command.of("get", "Shows a template, with its source.")
            .calls(Operation.GET_TEMPLATE, Operation.LIST_TEMPLATES)
            .with(TemplateCommands.reference("TEMPLATE"),
                Arg.flag(LOCAL, "source", "Only the original text."))
            .shows(View.details("namespace", "name", "version", "description",
                "identity=identity_strategy", "reuse", "steps=total_steps",
                "created=created_at",
                "configuration", "+hash=content_hash"))
            .runs(TemplateCommands::get).example("tasker template get linear/mathematical_sequence")
            .example("tasker template get linear/mathematical_sequence:1.0.0 --source"),
        Command.of("validate", "Checks a template without registering it, and lists every problem.")
            .calls(Operation.VALIDATE_TEMPLATE)
            .with(Arg.local("file", "FILE", "YAML or JSON; - for the standard input.").positional()
                .many())
            .runs(TemplateCommands::validate)
            .example("tasker template validate samples/linear/template.yaml"),
        Command.of("register", "Registers a template.").calls(Operation.REGISTER_TEMPLATE)
            .with(Arg.local("file", "FILE", "YAML or JSON; - for the standard input.").positional()
                .many(), Arg.flag(LOCAL, "dry-run", "Only validates."))
            .runs(TemplateCommands::register)
            .example("tasker template register samples/linear/template.yaml"),
        Command
            .of("diff", "Compares two templates in their normal form, with all defaults filled in.")
            .calls(Operation.GET_TEMPLATE, Operation.VALIDATE_TEMPLATE, Operation.LIST_TEMPLATES)
            .with(Arg.local("old", "OLD", "NAMESPACE/NAME:VERSION, or a file.").positional(),
                Arg.local("new", "NEW", "NAMESPACE/NAME:VERSION, or a file.").positional(),
                Arg.flag(LOCAL, "source", "Compares the original texts instead."))
            .runs(TemplateCommands::diff).example(
                "tasker template diff linear/mathematical_sequence:1.0.0 samples/linear/template.yaml"),
        Command.of("graph", "Draws the graph of a template, registered or in a file.")
            .calls(Operation.GET_TEMPLATE, Operation.LIST_TEMPLATES, Operation.VALIDATE_TEMPLATE)
            .with(
                Arg.local("template", "TEMPLATE",
                    "NAMESPACE/NAME:VERSION, without the version for the latest, or a file.")
                    .positional()
                    .covers("namespace", "name", "version"),
                Arg.local("as", "FORM", "A drawing by default.").values("text", "mermaid", "dot"))
            .runs(GraphCommands::template)
            .example("tasker template graph linear/mathematical_sequence")
            .example("tasker template graph samples/diamond/template.yaml"));
  }
}
