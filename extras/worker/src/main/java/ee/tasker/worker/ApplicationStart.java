package ee.tasker.worker;

import ee.tasker.platform.thread.StartSequence;
import ee.tasker.platform.thread.WebContext;
import jakarta.inject.Inject;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;

/** The application has started, and its handlers may be called. */
@WebListener
public class ApplicationStart implements ServletContextListener {
  @Inject
  private StartSequence start;

  @Inject
  private WebContext web;

  @Override
  public void contextInitialized(ServletContextEvent event) {
    web.hasStarted();
    start.webIsReady();
  }
}
