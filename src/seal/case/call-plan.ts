/** The state of planning a call: the number, the times that the buyer last suggested, and the booked time. */
import type { BookedCall } from './booked-call.ts';
import type { CallWindow } from './call-window.ts';
import type { CaseContent } from './case-content.ts';

export interface CallPlan {
  /** Empty if the buyer gave none. */
  readonly number: string;
  readonly windows: readonly CallWindow[];
  readonly booked: BookedCall | null;
}

/** A buyer who sends call times after a booking requests another time. `isBooked` is what the service reports. */
export function buildCallPlan(
  { inquiry, messages }: Pick<CaseContent<unknown>, 'inquiry' | 'messages'>,
  isBooked: boolean,
): CallPlan {
  let plan: CallPlan = { number: '', windows: [], booked: null };
  if ('content' in inquiry)
    plan = { ...plan, number: inquiry.content.call_number, windows: inquiry.content.call_windows };
  for (const { by, said } of messages) {
    if (!('content' in said)) continue;
    const { call_number: number, call_windows: windows, call } = said.content;
    if (by === 'desk') plan = { ...plan, booked: call ?? plan.booked };
    else if (windows.length > 0) plan = { number: number || plan.number, windows, booked: null };
  }
  return isBooked ? plan : { ...plan, booked: null };
}
