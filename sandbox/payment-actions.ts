/** Serves a buyer: takes the step, sends its events and waits for the service's answer, as a hosted checkout does. */
import type { SandboxContext } from './context.ts';
import { declineCard, type PurchaseStep, payByBankDebit, payByCard } from './purchase.ts';

export const BUYER_ACTIONS = ['pay', 'pay_later', 'pay_later_fail', 'decline'] as const;
export type BuyerAction = (typeof BUYER_ACTIONS)[number];
export type BuyerActionHandler = (session: string, action: BuyerAction) => Promise<PurchaseStep>;

const WAIT_FOR_SERVICE_MS = 10_000;

export function createBuyerActionHandler(sandbox: SandboxContext): BuyerActionHandler {
  const underway = new Map<string, Promise<PurchaseStep>>();

  const performBuyerAction = async (session: string, action: BuyerAction): Promise<PurchaseStep> => {
    sandbox.schedule.wake();
    const step = STEPS[action](sandbox, session);
    sandbox.schedule.wake();
    sandbox.webhooks.wake();
    if (step.event !== null) await sandbox.webhooks.waitForFirstAnswer(step.event, WAIT_FOR_SERVICE_MS);
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

const STEPS: Readonly<Record<BuyerAction, (sandbox: SandboxContext, session: string) => PurchaseStep>> = {
  pay: payByCard,
  pay_later: (sandbox, session) => payByBankDebit(sandbox, session, 'settle_payment'),
  pay_later_fail: (sandbox, session) => payByBankDebit(sandbox, session, 'fail_payment'),
  decline: declineCard,
};
