/** The requests of owners, whose answers are held to their form like all others. */
import { isId } from '#platform/id-pattern.ts';
import { DeskOrdersSchema } from '#wire/desk-office.ts';
import { OfficeFault } from './office.ts';
import { parseOfficeAnswer } from './office-answer.ts';
import { createHostileFault } from './office-http.ts';
import type { OfficeSigner } from './office-session.ts';
import type { OwnerOffice } from './owner-office.ts';

const KIB = 1024;
/** After a restore every order that was paid and unused is listed: some thousands. */
const MAX_ORDERS_BYTES = 4 * KIB * KIB;
const NO_CONTENT = 204;

export function createOwnerOffice(signer: Pick<OfficeSigner, 'send'>): OwnerOffice {
  return {
    listOrders: async () => {
      const answer = await signer.send({ method: 'GET', path: '/orders', maxBytes: MAX_ORDERS_BYTES });
      return parseOfficeAnswer(DeskOrdersSchema, answer).orders;
    },
    markOrderDone: async (id) => await postOrder(signer, id, 'done'),
    releaseOrder: async (id) => await postOrder(signer, id, 'release'),
  };
}

async function postOrder(
  signer: Pick<OfficeSigner, 'send'>,
  id: string,
  act: 'done' | 'release',
): Promise<void> {
  const path = `/orders/${requireId(id)}/${act}`;
  const { status } = await signer.send({ method: 'POST', path, maxBytes: KIB });
  if (status !== NO_CONTENT) throw createHostileFault('it does not say that this was done');
}

/** So that nothing else gets into an address of the office. */
function requireId(id: string): string {
  if (isId(id)) return id;
  throw new OfficeFault('refused', 'There is no such entry.');
}
