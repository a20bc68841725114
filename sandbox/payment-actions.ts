/** Serves a buyer: takes the step, sends its events and waits for the service's answer, as a hosted checkout does. */
import type { Till } from './context.ts';
import { declineCard, type PurchaseStep, payByBankDebit, payByCard } from './purchase.ts';

export const BUYER_ACTIONS = ['pay', 'pay_later', 'pay_later_fail', 'decline'] as const;
export type BuyerAction = (typeof BUYER_ACTIONS)[number];
export type BuyerActionHandler = (session: string, action: BuyerAction) => Promise<PurchaseStep>;

const WAIT_FOR_SERVICE_MS = 10_000;

export function createBuyerActionHandler(till: Till): BuyerActionHandler {
  const underway = new Map<string, Promise<PurchaseStep>>();

  const performBuyerAction = async (session: string, action: BuyerAction): Promise<PurchaseStep> => {
    till.schedule.wake();
    const step = STEPS[action](till, session);
    till.schedule.wake();
    till.webhooks.wake();
    if (step.event !== null) await till.webhooks.waitForFirstAnswer(step.event, WAIT_FOR_SERVICE_MS);
    return step;
  };

  return async (session, action) => {
    // A second click waits for the first, and then finds the session complete.
    await underway.get(session)?.catch(() => {});
    const serving = performBuyerAction(session, action).finally(() => underway.delete(session));
    underway.set(session, serving);
    return serving;
  };
}

const STEPS: Readonly<Record<BuyerAction, (till: Till, session: string) => PurchaseStep>> = {
  pay: payByCard,
  pay_later: (till, session) => payByBankDebit(till, session, 'settle_payment'),
  pay_later_fail: (till, session) => payByBankDebit(till, session, 'fail_payment'),
  decline: declineCard,
};
