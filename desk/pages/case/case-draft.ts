/** The draft of a case as its pages save and show it. */
import { randomBytes } from 'node:crypto';
import type { DraftFields } from '#desk/keys/draft-file.ts';
import type { DeskWork } from '#desk/model/desk-work.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import type { DraftView } from './case-view.ts';

const PAGE_BYTES = 9;

/** Returns the time at which the draft was saved. */
export async function saveTyped(desk: DeskWork, id: string, fields: DraftFields): Promise<number> {
  const now = desk.watch.readClock();
  await desk.office.saveDraft(id, { ...fields, saved_at: toIsoTime(now) });
  return now;
}

/** A draft that does not open does not prevent reading the case; the page of the finding reports it. */
export async function readDraftView(desk: DeskWork, id: string): Promise<DraftView> {
  const page = randomBytes(PAGE_BYTES).toString('base64url');
  try {
    return { page, stored: (await desk.office.readDraft(id)) ?? {} };
  } catch (error) {
    if (!(error instanceof OfficeFault)) throw error;
    return { page, stored: null };
  }
}
