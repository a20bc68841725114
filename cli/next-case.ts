/** The command that gives an investigator the next case: what is due first of theirs and nobody's, taken and opened. */
import { EXIT_CODES } from '#platform/exit-codes.ts';
import type { Case } from '#store/cases.ts';
import type { CaseState } from '#store/column-values.ts';
import { reportOpenedCase } from './case-reading.ts';
import { type CaseSource, readRefusal } from './case-source.ts';
import { openCaseWorkspace } from './case-workspace.ts';
import { withCaseSource } from './chosen-source.ts';
import { createCommand } from './command.ts';
import { CommandFailure } from './failure.ts';
import { parseListChoice, queueChoiceHelp } from './list-choice.ts';
import { officeKeyHelp, officeKeyOptions, readDeskAccess } from './pinning-key.ts';

/** What waits for the buyer waits for nobody at the desk. */
const STATES: readonly CaseState[] = ['received', 'in_progress'];

/** Somebody else may take each of them first. */
const MAX_TRIES = 20;

export const openNextCaseCommand = createCommand({
  usage: 'cases next --key FILE [--tier TIER] [--out FOLDER]',
  about: `Take the case that is due first, of yours and of those that nobody has, and open it.
A case that waits for its buyer is passed over.`,
  help: [
    ...officeKeyHelp,
    ...queueChoiceHelp.filter(([option]) => option.startsWith('--tier')),
    ['--out FOLDER', 'save its files there; without it no file is written'],
  ],
  options: { ...officeKeyOptions, tier: { type: 'string' }, out: { type: 'string' } },
  operands: 0,
  work: async ({ tier: tierName, out, ...keyOptions }) => {
    const desk = await readDeskAccess(keyOptions);
    const { tier } = parseListChoice({ tier: tierName }, null, 0);
    return await withCaseSource(desk, async (source) => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const next = await findNextCase(source, tier);
        if (!next) return { text: 'Nothing waits for you.\n', json: { case: null } };
        // Opened first: a case that this key cannot open stays where it is.
        const workspace = await openCaseWorkspace(source, next, desk);
        const record = await takeUnlessTaken(source, next.id);
        if (!record) continue;
        const opened = { ...workspace.opened, record };
        return await reportOpenedCase({ ...workspace, opened }, desk, out);
      }
      throw new CommandFailure('Others were always quicker; try again.', EXIT_CODES.failure);
    });
  },
});

async function findNextCase(
  { listCases, investigator }: CaseSource,
  tier: string | undefined,
): Promise<Case | undefined> {
  const firsts: Case[] = [];
  for (const holder of [investigator, null]) {
    const [first] = await listCases({ states: STATES, holder, tier }, { limit: 1 });
    if (first) firsts.push(first.record);
  }
  return firsts.toSorted((one, other) => one.due_at - other.due_at)[0];
}

const OVERTAKEN = ['case_held', 'case_state', 'case_changed', 'case_unknown'];

/** Returns null if somebody else was quicker, or the case has changed: then another one is next. */
async function takeUnlessTaken({ act }: CaseSource, id: string): Promise<Case | null> {
  try {
    return await act(id, 'take');
  } catch (error) {
    const cause = error instanceof CommandFailure ? error.cause : error;
    if (OVERTAKEN.includes(readRefusal(cause) ?? '')) return null;
    throw error;
  }
}
