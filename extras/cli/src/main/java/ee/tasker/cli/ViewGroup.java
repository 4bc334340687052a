package ee.tasker.cli;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about saved filters of lists. */
final class ViewGroup {
  private ViewGroup() {}

  static List<Command> commands() {
    return List.of(
        Command.of("list", "Lists your views and those that are shared with you.")
            .calls(Operation.LIST_VIEWS)
            .shows(View.rows("views", "VIEW=view_uuid", "PAGE=page", "NAME=name", "QUERY=query",
                "NAMESPACE=namespace", "BY=saved_by",
                "+SAVED=saved_at"))
            .example("tasker view list"),
        Command.of("save", "Saves the filter of a list under a name, for you or for a namespace.")
            .calls(Operation.SAVE_VIEW)
            .with(Arg.body("name", "NAME", "Its name.").required(),
                Arg.body("page", "PAGE", "The list of the console.").required(),
                Arg.body("query", "QUERY", "The query of the list's address."),
                Arg.body("namespace", "NAMESPACE", "Shares it with all who may list tasks there.")
                    .alias("-n"))
            .shows(View.details("view=view_uuid", "name", "query", "namespace"))
            .example(
                "tasker view save --page tasks --name failed --query state=error --namespace payments"),
        Command.of("delete", "Deletes a view.").calls(Operation.DELETE_VIEW)
            .with(Arg.path("view_uuid", "VIEW", "The UUID of the view."))
            .shows(View.details("outcome"))
            .example("tasker view delete 01a1fc6e-d7a1-7c2e-9a51-7f1d1f2f8a10"));
  }
}
