/** Steps of the call that need nothing sealed: the desk offers it, or says that it was held. */
import type { Services } from '#services.ts';
import type { Case } from '#store/cases/cases.ts';
import { applyClaimedChange } from '../desk/assignment.ts';
import { applyAuditedChange } from '../desk/audited-change.ts';
import { applyCallAction } from '../states.ts';

/** The buyer is told of an offer, so it claims the case; that a call took place is not told. */
export async function applyCallStep(
  services: Pick<Services, 'clock' | 'store'>,
  id: string,
  act: 'offer' | 'hold',
  investigator: string | null,
): Promise<Case> {
  const applyChange = act === 'offer' ? applyClaimedChange : applyAuditedChange;
  return await applyChange(services, id, { by: investigator, act: `${act}_call` }, (records, record) =>
    applyCallAction(records, record, act, 'desk', services.clock.now()),
  );
}
