package ee.tasker.message;

import ee.tasker.engine.reply.EngineReply;
import java.util.function.IntFunction;

/**
 * The dispatch of this server, as seen by components whose calls can also claim steps for its
 * worker.
 */
public interface StepDispatcher {

  /**
   * Makes a call that may claim steps for this server and commits before it returns. Reserves
   * permits, notifies the
   * components that the reply concerns, and passes the claimed steps to the worker. Exceptions of
   * the call propagate.
   *
   * @param most the maximum number of steps to claim
   * @param call receives the number of steps that it may claim: 0 when this server claims steps
   *   from its queues only
   */
  <R extends EngineReply> R call(int most, IntFunction<R> call);
}
