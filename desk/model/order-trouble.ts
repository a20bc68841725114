/** Explains orders to review in the desk's own sentences, because the office's could request anything. */

export interface OrderTrouble {
  /** The name in the table. */
  readonly state: string;
  /** Follows a number, such as `2 payments do not match what was sold`. */
  readonly one: string;
  readonly many: string;
  readonly means: string;
  readonly steps: readonly string[];
  /** What the desk can do about it; null if nothing. */
  readonly act: 'done' | 'release' | null;
}

export const FIND_PAYMENT =
  'Look in the provider’s dashboard for the order’s id: it is the client reference of the payment.';

const troubles: Readonly<Record<string, OrderTrouble>> = {
  quarantined: {
    state: 'Quarantined',
    one: 'payment does not match what was sold',
    many: 'payments do not match what was sold',
    means:
      'The amount, currency or mode differs from the order, so the form stays closed and no case can be opened.',
    steps: [
      FIND_PAYMENT,
      'Refund it there. If you are unsure, first ask the buyer, at the address shown there, how the payment came about.',
      'Then mark it as done here. That changes nothing at the provider.',
    ],
    act: 'done',
  },
  disputed: {
    state: 'Disputed',
    one: 'payment is disputed',
    many: 'payments are disputed',
    means: 'The payer’s bank demands the money back and is waiting for an answer through the provider.',
    steps: [
      FIND_PAYMENT,
      'Answer the dispute there, or accept it. Do not include anything from a case: it is not needed, and the bank would keep it.',
      'Then mark it as done here. The order is listed again if the dispute changes.',
    ],
    act: 'done',
  },
  held: {
    state: 'On hold after a restore',
    one: 'order is on hold after a restore',
    many: 'orders are on hold after a restore',
    means:
      'The records came from a backup. At the time of the backup the order was paid and unused. It may have been used afterwards; the records cannot show this.',
    steps: [
      FIND_PAYMENT,
      'If the buyer is still waiting for the form, release the order here.',
      'If you cannot tell, refund it there instead. The order is then removed from this list automatically.',
    ],
    act: 'release',
  },
};

const UNKNOWN: OrderTrouble = {
  state: 'Unknown to this desk',
  one: 'order is in a state that this desk does not know',
  many: 'orders are in a state that this desk does not know',
  means: 'The office runs a different version from this desk.',
  steps: ['Ask the operator what “office orders list” shows on the server.'],
  act: null,
};

export const ORDER_STATES = [...Object.keys(troubles), null] as const;

/** Null unless it is one of `ORDER_STATES`, whatever the office says. */
export function toOrderState(why: string): string | null {
  return Object.hasOwn(troubles, why) ? why : null;
}

export function describeOrderTrouble(state: string | null): OrderTrouble {
  return (state === null ? undefined : troubles[state]) ?? UNKNOWN;
}
