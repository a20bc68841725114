/** The command that gives an investigator the next case: what is due first of theirs and nobody's, taken and opened. */
import { recordCaseReading } from '#cases/audited-change.ts';
import { takeCase } from '#cases/case-holder.ts';
import { readSealedCase } from '#cases/sealed-case.ts';
import { ServiceError } from '#platform/errors.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import type { Case } from '#store/cases.ts';
import type { CaseState } from '#store/column-values.ts';
import { listCasesByDue } from '#store/desk-queue.ts';
import { reportOpenedCase } from './case-reading.ts';
import { type CliServices, withStore } from './cli-services.ts';
import { createCommand } from './command.ts';
import { CommandFailure } from './failure.ts';
import { readHolderNames } from './holder-name.ts';
import { deriveInvestigator } from './investigator.ts';
import { parseListChoice, queueChoiceHelp } from './list-choice.ts';
import { openPinnedCase } from './pinned-case.ts';
import { pinningKeyHelp, pinningKeyOptions, readPinningKey } from './pinning-key.ts';

/** What waits for the buyer waits for nobody at the desk. */
const STATES: readonly CaseState[] = ['received', 'in_progress'];

/** Somebody else may take each of them first. */
const MAX_TRIES = 20;

export const openNextCaseCommand = createCommand({
  usage: 'cases next --key FILE [--tier TIER] [--out FOLDER]',
  about: `Take the case that is due first, of yours and of those that nobody has, and open it.
A case that waits for its buyer is passed over.`,
  help: [
    ...pinningKeyHelp,
    ...queueChoiceHelp.filter(([option]) => option.startsWith('--tier')),
    ['--out FOLDER', 'save its files there; without it no file is written'],
  ],
  options: { ...pinningKeyOptions, tier: { type: 'string' }, out: { type: 'string' } },
  operands: 0,
  work: async ({ tier: tierName, out, ...keyOptions }) => {
    const desk = await readPinningKey(keyOptions);
    const investigator = await deriveInvestigator(desk.identity);
    const { tier } = parseListChoice({ tier: tierName }, investigator, 0);
    return await withStore(async (services) => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const next = await findNextCase(services, investigator, tier);
        if (!next) return { text: 'Nothing waits for you.\n', json: { case: null } };
        // Opened first: a case that this key cannot open stays where it is.
        await recordCaseReading(services, next.id, investigator);
        const file = await readSealedCase(services, next);
        const { opened } = await openPinnedCase(file, desk);
        const record = await takeUnlessTaken(services, next.id, investigator);
        if (!record) continue;
        const taken = { file, opened: { ...opened, record }, now: () => services.clock.now() };
        return await reportOpenedCase(taken, desk, { out, names: readHolderNames() });
      }
      throw new CommandFailure('Others were always quicker; try again.', EXIT_CODES.failure);
    });
  },
});

async function findNextCase(
  { clock, store }: CliServices,
  investigator: string,
  tier: string | undefined,
): Promise<Case | undefined> {
  const now = clock.now();
  const firsts: Case[] = [];
  for (const holder of [investigator, null]) {
    const choice = { states: STATES, holder, tier };
    firsts.push(...(await listCasesByDue(store.records, choice, { limit: 1 }, now)));
  }
  return firsts.toSorted((one, other) => one.due_at - other.due_at)[0];
}

/** Returns null if somebody else was quicker, or the case has changed: then another one is next. */
async function takeUnlessTaken(
  services: CliServices,
  id: string,
  investigator: string,
): Promise<Case | null> {
  try {
    return await takeCase(services, id, investigator);
  } catch (error) {
    const isOvertaken =
      error instanceof ServiceError &&
      ['case_held', 'case_state', 'case_changed', 'case_unknown'].includes(error.code);
    if (isOvertaken) return null;
    throw error;
  }
}
