/** Sign-in codes of the former master key: they are derived from it, so they end with it. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { SECOND_MS } from '#platform/durations.ts';
import type { Services } from '#services.ts';
import type { Keyring } from '#store/keyring.ts';
import { createRotationStep, type RotationStep, resealBox } from '#store/rotation.ts';
import { listRotatedRows, replaceRotatedRow } from '#store/rotation-rows.ts';
import { deleteSignInCode, type SignInCode } from '#store/sign-in-codes.ts';

/**
 * A short code keeps its place in the count of its address, with no guess left. The letter with a long code goes, so
 * that the next request sends a new one.
 */
export function createFormerCodesEnd(keyring: Keyring): RotationStep {
  return createRotationStep<SignInCode>({
    what: 'sign-in codes',
    table: 'sign_in_codes',
    list: (records, after, limit) => listRotatedRows(records, 'sign_in_codes', { after, limit }),
    plan: ({ id, address_box: box, long_code_id: longId }) => {
      const resealed = resealBox(keyring, { purpose: 'user address', box, context: id });
      if (!resealed) return null;
      const change = {
        address_tag: keyring.tag('user address', resealed.secret),
        address_box: resealed.box,
        tries_left: 0,
      };
      return async (records) => {
        if (longId === null)
          await replaceRotatedRow(records, 'sign_in_codes', { id, address_box: box }, change);
        else await deleteSignInCode(records, id);
        return 'moved';
      };
    },
  });
}

export async function countFormerCodes({
  store,
  keyring,
  clock,
}: Pick<Services, 'clock' | 'keyring' | 'store'>): Promise<number> {
  const now = clock.now();
  let count = 0;
  const step = createRotationStep<SignInCode>({
    what: 'sign-in codes',
    table: 'sign_in_codes',
    list: (records, after, limit) => listRotatedRows(records, 'sign_in_codes', { after, limit }),
    plan: (code) => {
      const sealed = { purpose: 'user address', box: code.address_box, context: code.id } as const;
      if (isUsable(code, now) && resealBox(keyring, sealed)) count += 1;
      return null;
    },
  });
  await step.run(store, () => {});
  return count;
}

function isUsable({ long_code_id, created_at, expires_at, tries_left }: SignInCode, now: number): boolean {
  if (long_code_id !== null) return now < created_at + oauthLifetimes.longEmailCode * SECOND_MS;
  return now < expires_at && tries_left > 0;
}
