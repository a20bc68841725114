/** Refunds that the desk owes: listed by the office, and opened with the investigator's key. */
import type { PinFile } from '#desk/keys/pin-file.ts';
import { isId } from '#platform/text/id-pattern.ts';
import { openRefundOrNull, type Refund } from '#seal/case/refund.ts';
import { type DeskRefunds, DeskRefundsSchema } from '#wire/desk-lists.ts';
import { OfficeFault } from './office-fault.ts';
import { createHostileFault } from './office-http.ts';
import type { OfficeSigner } from './office-session.ts';
import { toListPath, walkPages } from './page-walk.ts';

export interface OwedRefund {
  readonly id: string;
  /** Null if it was not sealed to this key: a colleague can open it. */
  readonly refund: Refund | null;
  /** The entry was restored from a backup, so the refund may already have been made. */
  readonly isRestored: boolean;
}

/** Room for fifty of the largest refunds. */
const MAX_REFUNDS_BYTES = 32 * 1024 * 1024;
/** The first is for a person to read; the second is for re-sealing, which must cover all refunds. */
const maxPages = { '/refunds': 20, '/resealing/refunds': 1_000 } as const;

export async function listRefunds(signer: OfficeSigner, { identity }: PinFile): Promise<OwedRefund[]> {
  const owed: OwedRefund[] = [];
  for await (const refunds of walkRefunds(signer, '/refunds'))
    for (const { id, sealed, restored } of refunds) {
      const refund = await openRefundOrNull(Buffer.from(sealed, 'base64url'), identity);
      owed.push({ id, refund, isRestored: restored });
    }
  return owed;
}

/** Yields the sealed refunds page by page. */
export async function* walkRefunds(
  signer: OfficeSigner,
  list: keyof typeof maxPages,
): AsyncGenerator<DeskRefunds['refunds']> {
  const fetchPage = async (after: string | undefined) => {
    const path = toListPath(list, after);
    return await signer.ask(DeskRefundsSchema, { method: 'GET', path, maxBytes: MAX_REFUNDS_BYTES });
  };
  const walk = { list: 'list of refunds', maxPages: maxPages[list] };
  for await (const { refunds, next } of walkPages(walk, fetchPage)) {
    // Otherwise the office could keep this machine busy without listing anything.
    if (refunds.length === 0 && next !== null) throw createHostileFault(`its ${walk.list} does not end`);
    yield refunds;
  }
}

/** Called once a person of the desk has made the refund at the provider. */
export async function settleRefund(signer: OfficeSigner, id: string): Promise<void> {
  if (!isId(id)) throw new OfficeFault('refused', 'There is no such entry.');
  await signer.send({ method: 'POST', path: `/refunds/${id}/done`, maxBytes: 1024 });
}
