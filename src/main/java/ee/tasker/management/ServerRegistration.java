package ee.tasker.management;

import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.enterprise.concurrent.ContextService;
import jakarta.inject.Inject;
import java.lang.management.ManagementFactory;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * Registers the management bean with the platform's MBean server, and removes it at undeploy. Its
 * methods are called on
 * threads without an application context, so each call establishes the application's context.
 */
@Singleton
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class ServerRegistration {
  private static final Log LOG = Log.of(ServerRegistration.class);
  static final String NAME = "ee.tasker:type=Server";

  @Resource
  private ContextService contexts;

  @Inject
  private ServerManagement management;

  @Inject
  private ServerIdentity server;

  private volatile ObjectName registered;

  @PostConstruct
  void register() {
    try {
      ServerMXBean bean = contexts.createContextualProxy(new ServerBean(management),
          ServerMXBean.class);
      StandardMBean mxBean = new StandardMBean(bean, ServerMXBean.class, true);
      MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
      try {
        registered = beans.registerMBean(mxBean, new ObjectName(NAME)).getObjectName();
      } catch (InstanceAlreadyExistsException taken) {
        // Another deployment of the product in the same process.
        registered = beans.registerMBean(mxBean, new ObjectName(NAME + ",uuid=" + server.uuid()))
            .getObjectName();
      }
    } catch (JMException | RuntimeException e) {
      LOG.write(LogEvent.MANAGEMENT_MISSING, e, "name", NAME);
    }
  }

  @PreDestroy
  void unregister() {
    try {
      if (registered != null) {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(registered);
      }
    } catch (JMException | RuntimeException e) {
      LOG.write(LogEvent.MANAGEMENT_MISSING, e, "name", registered);
    }
  }
}
