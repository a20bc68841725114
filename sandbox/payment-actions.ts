/** Performs a buyer's action, sends its events and waits for the service's response, as a hosted checkout does. */
import type { SandboxContext } from './context.ts';
import { declineCard, type PurchaseStep, payByBankDebit, payByCard, type SandboxBuyer } from './purchase.ts';

export const BUYER_ACTIONS = ['pay', 'pay_later', 'pay_later_fail', 'decline'] as const;
export type BuyerAction = (typeof BUYER_ACTIONS)[number];
export type BuyerActionHandler = (buyer: SandboxBuyer, action: BuyerAction) => Promise<PurchaseStep>;

const MAX_SERVICE_WAIT_MS = 10_000;

export function createBuyerActionHandler(sandbox: SandboxContext): BuyerActionHandler {
  const running = new Map<string, Promise<PurchaseStep>>();

  const performBuyerAction = async (buyer: SandboxBuyer, action: BuyerAction): Promise<PurchaseStep> => {
    sandbox.schedule.wake();
    const step = STEPS[action](sandbox, buyer);
    sandbox.schedule.wake();
    sandbox.webhooks.wake();
    if (step.event !== null) await sandbox.webhooks.waitForFirstResponse(step.event, MAX_SERVICE_WAIT_MS);
    return step;
  };

  return async (buyer, action) => {
    const { session } = buyer;
    // A second click waits for the first and then finds the session complete.
    await running.get(session)?.catch(() => {});
    const step = performBuyerAction(buyer, action).finally(() => running.delete(session));
    running.set(session, step);
    return step;
  };
}

const STEPS: Readonly<Record<BuyerAction, (sandbox: SandboxContext, buyer: SandboxBuyer) => PurchaseStep>> = {
  pay: payByCard,
  pay_later: (sandbox, buyer) => payByBankDebit(sandbox, buyer, 'settle_payment'),
  pay_later_fail: (sandbox, buyer) => payByBankDebit(sandbox, buyer, 'fail_payment'),
  decline: declineCard,
};
