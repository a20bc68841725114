/** Creates a case in one PostgreSQL statement: redeems the order and stores everything, or does nothing. */
import { randomBytes } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import { prepareQuery, tryTogether } from '../engine/prepared.ts';
import { claimKey } from '../idempotent-request.ts';
import { SHRED_KEY_BYTES } from '../keys/key-slot.ts';
import { encryptSealedKey } from '../keys/shred-keys.ts';
import { insertShredKey } from '../keys/shred-table.ts';
import { buildRedemption, type OrderProof, type ProofKind } from '../orders/orders.ts';
import type { Records, Tables } from '../schema/tables.ts';
import { buildCaseKeyRow, insertCaseKeyRow } from './case-keys.ts';
import { linkIfWebhook, type NewCaseWebhook } from './case-webhooks.ts';
import type { Case } from './cases.ts';
import { buildObjectRow, insertObjectRow } from './objects.ts';

export interface PaidCase {
  /** Its tier is that of the order. */
  readonly record: Omit<Case, 'tier'>;
  readonly order: OrderProof;
  readonly sealedKey: Uint8Array;
  readonly inquiry: { readonly id: string; readonly bytes: Uint8Array };
  /** The keys that this process seals to. */
  readonly ownSet: string;
  readonly link: NewCaseWebhook;
  readonly claim: Insertable<Tables['idempotency']> | null;
}

/** Returns null if the case cannot be created; a retry in a transaction finds out why. */
export async function insertPaidCase(records: Records, paid: PaidCase): Promise<Case | null> {
  const { record, order, sealedKey, inquiry, ownSet, link, claim } = paid;
  const { id: caseId, submitted_at: now, lookup_hash: lookupHash, sealed_to: sealedTo } = record;
  const shredKey = randomBytes(SHRED_KEY_BYTES);
  const redeem = redeemBy[order.id === null ? 'session' : 'owner'][claim ? 'claimed' : 'free'];
  const parts = {
    ...(claim && { claimed: claimKey.compile(records, claim) }),
    redeemed: redeem.compile(records, { ...order, lookupHash, ownSet, said: sealedTo === null ? 0 : 1 }),
    shredded: insertShredKey.compile(records, { case_id: caseId, key: shredKey }),
    keyed: insertCaseKeyRow.compile(
      records,
      buildCaseKeyRow(caseId, encryptSealedKey(shredKey, sealedKey, caseId)),
    ),
    stored: insertObjectRow.compile(
      records,
      buildObjectRow({ caseId, kind: 'inquiry.v1', seq: 0, now, ...inquiry }),
    ),
    linked: linkIfWebhook.compile(records, link),
  };
  const [row] = (await tryTogether(records, parts, insertRedeemed.compile(records, record))) ?? [];
  return row ? { ...record, tier: row.tier } : null;
}

const insertRedeemed = prepareQuery<PaidCase['record'], Pick<Case, 'tier'>>((records, slots) =>
  records
    .insertInto('cases')
    .values({ ...slots, tier: sql`(select tier from redeemed)` })
    .returning('tier'),
);

type Redeeming = OrderProof & {
  readonly lookupHash: string;
  readonly ownSet: string;
  /** 1 if the sender stated which keys it sealed to. */
  readonly said: number;
};

function prepareRedemption(by: ProofKind, isClaimed: boolean) {
  return prepareQuery<Redeeming, Pick<Case, 'tier'>>((records, { lookupHash, ownSet, said, ...proof }) =>
    buildRedemption(records, by, proof)
      .where(sql<boolean>`not exists (select from tombstones where lookup_hash = ${lookupHash})`)
      .where(
        sql<boolean>`exists (select from recipient_set where tag = ${ownSet} and (changes = 0 or ${said} = 1))`,
      )
      .$if(isClaimed, (query) => query.where(sql<boolean>`exists (select from claimed)`)),
  );
}

const redeemBy = {
  session: { free: prepareRedemption('session', false), claimed: prepareRedemption('session', true) },
  owner: { free: prepareRedemption('owner', false), claimed: prepareRedemption('owner', true) },
} as const;
