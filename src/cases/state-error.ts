/** Says in which state a case or its call is, where that does not allow what was asked for. */
import { ServiceError } from '#platform/errors.ts';
import type { CallState, CaseState } from '#store/column-values.ts';

const stateSentences: Readonly<Record<CaseState | CallState, string>> = {
  received: 'The case was received',
  in_progress: 'The case is being worked on',
  awaiting_client: 'The case waits for an answer',
  delivered: 'The case has been answered',
  declined: 'The case was declined',
  withdrawn: 'The case was withdrawn',
  none: 'No call is offered yet',
  offered: 'A call is offered',
  proposed: 'The buyer has proposed times for the call',
  booked: 'The call is booked',
  held: 'The call has taken place',
};

export function createStateError(from: CaseState | CallState): ServiceError {
  return new ServiceError('case_state', { detail: `${stateSentences[from]}, so this is not possible now.` });
}
