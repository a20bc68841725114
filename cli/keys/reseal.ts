/** The command that adopts the current keys and seals every open case to them, beside the database or at an office. */

import { parseRecipientSetMembers } from '#cases/sealing/recipient-set.ts';
import { type PinFile, readPins } from '#desk/keys/pin-file.ts';
import { resealRefund } from '#seal/case/refund.ts';
import { openKeyToReseal, resealOpenedCase } from '#seal/case/resealed-case.ts';
import type { AgeIdentity } from '#seal/core/age.ts';
import type { CaseKey } from '#seal/core/case-key.ts';
import { computePinTags, createDeskTagger, createKeyPin, findOtherPin } from '#seal/core/key-pin.ts';
import { SealError } from '#seal/core/seal-error.ts';
import { createCommand, createUsageFailure } from '../command.ts';
import { findNamedOffice, type OfficeValues, officeOptions, readPinningKey } from '../office-link.ts';
import { getIo } from '../terminal/io.ts';
import { createCountProgress } from '../terminal/progress.ts';
import { formatCount } from '../terminal/table.ts';
import { requireConfirmation } from '../terminal/typed-text.ts';
import { type AskedSetFiles, askedSetOptions, withOfficeResealing } from './office-resealing.ts';
import {
  buildResealReport,
  compareMembers,
  formatMemberChange,
  type ResealSource,
  type ResealWork,
  type UnsealedCase,
} from './reseal-report.ts';

export const resealCasesCommand = createCommand({
  usage:
    'keys reseal --key FILE [--pins FILE] [--yes]\n       keys reseal --office ADDRESS --key FILE --recipients FILE --recovery FILE [--yes]',
  about: `Adopt the keys of this configuration, and seal everything open to them again: case keys, notes, and the refunds that are owed.
Lists who joins and who leaves, and asks. If it is interrupted, run it again: it continues where it stopped.
Needs a desk key of the previous team. If all are lost, use the recovery key, which opens no notes. Restart the service afterwards.
Without --office it works on the records of this machine, even while the service is stopped. With --office the key must belong to an owner both before and after the change. The recipients are then read from your files, and the configuration of the office must list the same ones.`,
  options: [...officeOptions, ...askedSetOptions, ['--yes', 'do not ask for confirmation']],
  work: async ({ yes = false, ...values }) =>
    await withResealSource(values, async (source, desk) => {
      const { previous, set } = source;
      const change = compareMembers(parseRecipientSetMembers(previous), parseRecipientSetMembers(set));
      const count = await source.countLeft();
      await requireOpeningKey(source, desk.identity);
      const isSameSet = previous?.tag === set.tag;
      if (!isSameSet) {
        getIo().stderr.write(formatMemberChange(change, count));
        if (!yes) await requireConfirmation('Type reseal to continue: ', 'reseal', 'nothing was changed');
        await source.adopt();
      }
      const done = await resealWithProgress(source, desk, count);
      return buildResealReport(change, done, { isSameSet, count });
    }),
});

/** Supports both places: the recovery key cannot sign in at an office, and a service without its keys cannot start. */
async function withResealSource<Result>(
  values: OfficeValues & AskedSetFiles,
  work: (source: ResealSource, desk: PinFile) => Promise<Result>,
): Promise<Result> {
  const access = await findNamedOffice(values);
  if (access) return await withOfficeResealing(access, values, (source) => work(source, access.key));
  if ((values.recipients ?? values.recovery) !== undefined)
    throw createUsageFailure(
      '--recipients and --recovery require --office ADDRESS: without it, the recipients come from the configuration',
    );
  const desk = await readPinningKey(values.key, values.pins);
  const { withStoredResealing } = await import('./store-resealing.ts');
  return await withStoredResealing(desk.identity, (source) => work(source, desk));
}

/** Before anything is changed, refuses a key that opens none of the cases: it is the wrong one. */
async function requireOpeningKey({ streamCases }: ResealSource, identity: AgeIdentity): Promise<void> {
  let isAnyClosed = false;
  for await (const found of streamCases()) {
    const opened = await openKeyToReseal(found, identity);
    if (typeof opened !== 'string') return;
    isAnyClosed ||= opened === 'other_key';
  }
  if (isAnyClosed)
    throw new SealError(
      'wrong_key',
      'This key opens none of the cases: use a desk key of the previous team or, on the machine of the database, the recovery key.',
    );
}

async function resealWithProgress(source: ResealSource, desk: PinFile, count: number): Promise<ResealWork> {
  const { identity } = desk;
  const pins = await readPins(desk);
  const tag = createDeskTagger(identity);
  const isPinned = (id: string, key: CaseKey) =>
    !findOtherPin(pins, computePinTags(tag, createKeyPin(id, key)));
  const progress = createCountProgress('Sealing again', count);
  const left: UnsealedCase[] = [];
  let resealed = 0;
  try {
    for await (const found of source.streamCases()) {
      const key = await openKeyToReseal(found, identity);
      const reason = typeof key === 'string' ? key : isPinned(found.id, key) ? null : 'not_pinned';
      if (reason) left.push({ id: found.id, reason });
      if (typeof key === 'object' && !reason) {
        const again = await resealOpenedCase(found, key, { identity, holders: source.holders });
        if (again && !again.isWhole) left.push({ id: found.id, reason: 'notes' });
        if (again) resealed += await source.storeCase(found, again);
      }
      progress.add(1);
    }
    const { stored, unsealed } = await source.finish();
    resealed += stored;
    // After the cases, so that no refund can prevent a case from being stored.
    const leftRefunds = await resealRefunds(source, identity);
    progress.finish();
    return { resealed, left, unsealed, leftRefunds };
  } catch (error) {
    progress.finish();
    getIo().stderr.write(
      `Stopped after ${resealed} of ${formatCount(count, 'cases')}; the next run continues.\n`,
    );
    throw error;
  }
}

/** Seals all refunds each time, because they are few. Returns how many do not open with this key. */
async function resealRefunds(source: ResealSource, identity: AgeIdentity): Promise<number> {
  let left = 0;
  for await (const { id, sealed } of source.streamRefunds()) {
    const again = await resealRefund(sealed, identity, source.holders);
    if (again === null) left += 1;
    else await source.storeRefund({ id, sealed: again });
  }
  return left;
}
