package ee.tasker.rest;

import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.ProblemDocument;
import ee.tasker.rest.http.RequestKeys;
import ee.tasker.rest.task.SelectsTasks;
import ee.tasker.rest.task.TaskFilter;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.UriInfo;
import jakarta.ws.rs.ext.Provider;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Refuses parameters that the method of a route does not take, that are repeated where it takes
 * one, or that are not storable as text in the database, and what is no uuid in a path where the
 * method takes one. The last of the filters: what it refuses is permitted and recorded.
 */
@Provider
@Priority(Priorities.USER)
public class ParameterFilter implements ContainerRequestFilter {
  @Inject
  private RequestKeys keys;

  @Context
  private HttpServletRequest request;

  @Context
  private ResourceInfo resource;

  @Override
  public void filter(ContainerRequestContext context) {
    try {
      check(context.getUriInfo(), resource.getResourceMethod());
    } catch (Problem problem) {
      context.abortWith(ProblemDocument.of(problem, request.getRequestURI()));
    }
  }

  private void check(UriInfo uri, Method method) {
    try {
      checkKnown(uri, method);
    } catch (Problem problem) {
      if (!method.isAnnotationPresent(OncePerKey.class) || !keys.isKeyed()) {
        throw problem;
      }
      keys.refuse(problem);
    }
    checkUuids(uri, method);
  }

  private static void checkKnown(UriInfo uri, Method method) {
    Set<String> known = new HashSet<>();
    Set<String> repeatable = new HashSet<>();
    if (method.isAnnotationPresent(SelectsTasks.class)) {
      known.addAll(TaskFilter.FILTERS);
      known.add(TaskFilter.ATTRIBUTE);
      repeatable.add(TaskFilter.ATTRIBUTE);
    }
    for (Parameter parameter : method.getParameters()) {
      QueryParam query = parameter.getAnnotation(QueryParam.class);
      if (query != null) {
        known.add(query.value());
        if (parameter.getType() == List.class) {
          repeatable.add(query.value());
        }
      }
    }
    uri.getQueryParameters().forEach((name, values) -> {
      if (values.size() > 1 && !repeatable.contains(name)) {
        throw Problem.invalid(name, "must be given once");
      }
    });
    requireStorable(uri.getQueryParameters());
    requireStorable(uri.getPathParameters());
    uri.getQueryParameters().keySet().stream().filter(name -> !known.contains(name)).sorted()
        .findFirst().ifPresent(name -> {
          throw Problem.invalid(name, "unknown parameter");
        });
  }

  /** Before the container reads them as such. */
  private static void checkUuids(UriInfo uri, Method method) {
    for (Parameter parameter : method.getParameters()) {
      PathParam part = parameter.getAnnotation(PathParam.class);
      if (part != null && parameter.getType() == UUID.class) {
        Parameters.uuid(part.value(), uri.getPathParameters().getFirst(part.value()));
      }
    }
  }

  private static void requireStorable(MultivaluedMap<String, String> parameters) {
    parameters.forEach((name, values) -> values
        .forEach(value -> JsonbCheck.complaint(value).ifPresent(complaint -> {
          throw Problem.invalid(name, complaint);
        })));
  }
}
