package ee.tasker.rest;

import ee.tasker.platform.StartSequence;
import jakarta.inject.Inject;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;

/** Says that requests can come. Some servers begin the rest of an application long before, and would call it ready while every path is 404. */
@WebListener
public class WebStart implements ServletContextListener {
  @Inject
  private StartSequence start;

  @Override
  public void contextInitialized(ServletContextEvent event) {
    start.webIsReady();
  }
}
