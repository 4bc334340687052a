package ee.tasker.rest;

import ee.tasker.platform.BodySchema;
import ee.tasker.platform.thread.StartSequence;
import ee.tasker.platform.thread.WebContext;
import jakarta.inject.Inject;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;

/**
 * Signals that the server accepts requests. Some servers start the rest of an application long
 * before, and would report
 * ready while every path is 404.
 */
@WebListener
public class WebStart implements ServletContextListener {
  @Inject
  private StartSequence start;

  @Inject
  private WebContext web;

  @Override
  public void contextInitialized(ServletContextEvent event) {
    // The first request does not wait until the document is read.
    BodySchema.of("TaskRequest");
    web.hasStarted();
    start.webIsReady();
  }
}
