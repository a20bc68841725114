/** Refunds that the desk owes: listed as they were left at the office, and opened with the investigator's key. */
import type { PinFile } from '#desk/keys/pin-file.ts';
import { isId } from '#platform/text/id-pattern.ts';
import { openRefund, type Refund } from '#seal/case/refund.ts';
import { SealError } from '#seal/core/seal-error.ts';
import { DeskRefundsSchema } from '#wire/desk-lists.ts';
import { parseOfficeAnswer } from './office-answer.ts';
import { OfficeFault } from './office-fault.ts';
import type { OfficeSigner } from './office-session.ts';
import { toListPath, walkPages } from './page-walk.ts';

export interface OwedRefund {
  readonly id: string;
  /** Null if it was not sealed to this key: a colleague can open it. */
  readonly refund: Refund | null;
}

/** Fifty of the largest. */
const MAX_REFUNDS_BYTES = 32 * 1024 * 1024;
const MAX_PAGES = 20;

export async function listRefunds(
  signer: Pick<OfficeSigner, 'send'>,
  { identity }: PinFile,
): Promise<OwedRefund[]> {
  const owed: OwedRefund[] = [];
  const fetchPage = async (after: string | undefined) => {
    const path = toListPath('/refunds', after);
    const answer = await signer.send({ method: 'GET', path, maxBytes: MAX_REFUNDS_BYTES });
    return parseOfficeAnswer(DeskRefundsSchema, answer);
  };
  for await (const { refunds } of walkPages({ list: 'list of refunds', maxPages: MAX_PAGES }, fetchPage))
    for (const { id, sealed } of refunds)
      owed.push({ id, refund: await openOrNull(Buffer.from(sealed, 'base64url'), identity) });
  return owed;
}

async function openOrNull(sealed: Uint8Array, identity: PinFile['identity']): Promise<Refund | null> {
  try {
    return await openRefund(sealed, identity);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** A person of the desk has made it at the provider. */
export async function settleRefund(signer: Pick<OfficeSigner, 'send'>, id: string): Promise<void> {
  if (!isId(id)) throw new OfficeFault('refused', 'There is no such entry.');
  await signer.send({ method: 'POST', path: `/refunds/${id}/done`, maxBytes: 1024 });
}
