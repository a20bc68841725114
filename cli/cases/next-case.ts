/** The command `cases next`: opens and takes the case that is due first among one's own and the unassigned ones. */
import { pickNextCase } from '#desk/model/case-queue.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import type { DeskCase } from '#wire/desk-cases.ts';
import { createCommand } from '../command.ts';
import { type OfficeLink, withOfficeLink } from '../office-link.ts';
import { officeHelp, officeOptions, readOfficeAccess } from '../office-option.ts';
import { reportOpenedCase } from './case-reading.ts';
import { parseTier, queueChoiceHelp, walkQueue } from './list-choice.ts';
import { openNamedCase } from './opened-case.ts';

/** Colleagues may take a case first, so another one is tried. */
const MAX_TRIES = 20;

export const openNextCaseCommand = createCommand({
  usage: 'cases next [--tier TIER] [--out FOLDER]',
  about: `Take the case that is due first among yours and the unassigned ones, and open it.
Cases that wait for the buyer are skipped.`,
  help: [
    ...officeHelp,
    ...queueChoiceHelp.filter(([option]) => option.startsWith('--tier')),
    ['--out FOLDER', 'save its files in this folder; without it no file is written'],
  ],
  options: { ...officeOptions, tier: { type: 'string' }, out: { type: 'string' } },
  work: async ({ tier: tierName, out, ...values }) => {
    const tier = parseTier(tierName);
    return await withOfficeLink(await readOfficeAccess(values), async (link) => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const next = await findNextCase(link, tier);
        if (!next) return { text: 'Nothing is waiting for you.\n', json: { case: null } };
        // Opened first, so that a case that this key cannot open is not taken.
        const opened = await openNamedCase(link, next.id, { marksSeen: true });
        const facts = await takeUnlessTaken(link, next.id);
        if (facts) return await reportOpenedCase(link, opened, out, facts);
      }
      throw new ProgramError('Each case was taken by a colleague first; try again.');
    });
  },
});

async function findNextCase(link: OfficeLink, tier: string | undefined): Promise<DeskQueueEntry | null> {
  for await (const { cases } of walkQueue(link, { view: 'open', tier })) {
    const next = pickNextCase(cases, link.office.holder);
    if (next) return next;
  }
  return null;
}

const OVERTAKEN = ['case_held', 'case_state', 'case_changed', 'case_unknown'];

/** Returns null if a colleague was quicker or the case has changed; the caller then tries another one. */
async function takeUnlessTaken(link: OfficeLink, id: string): Promise<DeskCase | null> {
  try {
    return await link.office.act(id, 'take');
  } catch (error) {
    if (error instanceof OfficeFault && OVERTAKEN.includes(error.code)) return null;
    throw error;
  }
}
