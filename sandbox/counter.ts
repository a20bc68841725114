/** Serves a buyer: takes the step, sends its events and waits for the service's answer, as a hosted checkout does. */
import type { Till } from './context.ts';
import { decline, pay, payLater, type Step } from './purchase.ts';

export const ACTIONS = ['pay', 'pay_later', 'pay_later_fail', 'decline'] as const;
export type Action = (typeof ACTIONS)[number];
export type Counter = (session: string, action: Action) => Promise<Step>;

const WAIT_FOR_SERVICE_MS = 10_000;

export function openCounter(till: Till): Counter {
  const underway = new Map<string, Promise<Step>>();

  const serve = async (session: string, action: Action): Promise<Step> => {
    till.schedule.wake();
    const step = STEPS[action](till, session);
    till.schedule.wake();
    till.webhooks.wake();
    if (step.event !== null) await till.webhooks.firstAnswer(step.event, WAIT_FOR_SERVICE_MS);
    return step;
  };

  return async (session, action) => {
    // A second click waits for the first, and then finds the session complete.
    await underway.get(session)?.catch(() => {});
    const serving = serve(session, action).finally(() => underway.delete(session));
    underway.set(session, serving);
    return serving;
  };
}

const STEPS: Readonly<Record<Action, (till: Till, session: string) => Step>> = {
  pay,
  pay_later: (till, session) => payLater(till, session, 'settle_payment'),
  pay_later_fail: (till, session) => payLater(till, session, 'fail_payment'),
  decline,
};
