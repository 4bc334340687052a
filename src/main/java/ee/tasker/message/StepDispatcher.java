package ee.tasker.message;

import ee.tasker.engine.reply.EngineReply;
import java.util.function.IntFunction;

/** The dispatch of this server, as the components see it whose calls can claim steps for its worker on the way. */
public interface StepDispatcher {

  /**
   * Makes a call that may claim steps for this server, at most as many as it is given, and commits before it returns. Reserves the permits,
   * tells whom the reply concerns, and hands the claimed steps to the worker. What the call throws passes through.
   *
   * @param most how many steps the caller has a use for
   * @param call is given how many it may claim: none when this server takes no steps on outside its queues
   */
  <R extends EngineReply> R call(int most, IntFunction<R> call);
}
