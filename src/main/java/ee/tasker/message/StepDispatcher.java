package ee.tasker.message;

import jakarta.json.JsonArray;

/** The worker of this server, as those see it who may hand it steps that their transaction has claimed for it. */
public interface StepDispatcher {

  /** Reserves permits for the caller, at most {@code most}; every one of them comes back by {@link #dispatch}. */
  int reserve(int most);

  /** Takes over claimed steps, after the commit, and gives back what was reserved and not used. */
  void dispatch(JsonArray claimedSteps, int reserved);

  /** Says that somebody cancelled a task, whose steps may be running here. */
  void cancelRequested();

  /** Says that a call which could have claimed steps for this server failed, so that nobody knows whether it has. */
  void claimOutcomeUnknown();

  /** Says that a queue may have steps for this server. */
  void stepsQueued();
}
