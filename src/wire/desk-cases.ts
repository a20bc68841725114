/** What the desk and the office exchange about cases: views of the queue, and acts. */

/** What may be done with a case, decided by the office; the desk shows nothing else. */
export const DESK_ACTS = [
  'take', // start work, or resume it while the case waits for the buyer; it is then yours
  'take_over', // somebody else has it
  'let_go', // nobody has it any more
  'ask',
  'message',
  'note',
  'offer_call',
  'book_call',
  'hold_call',
  'deliver',
  'take_back',
  'decline',
  'retain',
  'purge',
] as const;
export type DeskAct = (typeof DESK_ACTS)[number];

export const DESK_VIEWS = ['open', 'mine', 'unanswered', 'late', 'nobodys', 'ended'] as const;
