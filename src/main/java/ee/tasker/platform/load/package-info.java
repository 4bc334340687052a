/**
 * What keeps one namespace from taking what others need, and what collects calls: turns and rests
 * of heavy work, namespaces whose calls are slow, one call for many items. Uses {@code config}.
 */
package ee.tasker.platform.load;
