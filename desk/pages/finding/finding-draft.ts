/** The draft of a finding beside the key, with when it was saved: a restart of the desk must not forget that. */
import type { DraftFields } from '#desk/keys/draft-file.ts';
import type { DeskWork } from '#desk/model/desk-work.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';

export interface FindingDraft {
  readonly markdown: string;
  /** Null if the draft does not say. */
  readonly savedAt: number | null;
}

export async function saveFindingDraft(desk: DeskWork, id: string, fields: DraftFields): Promise<void> {
  const now = desk.watch.readClock();
  await desk.office.saveDraft(id, { ...fields, saved_at: toIsoTime(now) });
  desk.drafts.set(id, now);
}

/** Null without one; a message that was not sent is none. */
export async function readFindingDraft(desk: DeskWork, id: string): Promise<FindingDraft | null> {
  const fields = await desk.office.readDraft(id);
  if (fields?.['markdown'] === undefined) return null;
  const written = Date.parse(fields['saved_at'] ?? '');
  const savedAt = desk.drafts.get(id) ?? (Number.isNaN(written) ? null : written);
  if (savedAt !== null) desk.drafts.set(id, savedAt);
  return { markdown: fields['markdown'], savedAt };
}

/** A draft that does not open is reported where it is written, and must not keep the case from being read. */
export async function hasFindingDraft(desk: DeskWork, id: string): Promise<boolean> {
  if (desk.drafts.has(id)) return true;
  try {
    return (await readFindingDraft(desk, id)) !== null;
  } catch (error) {
    if (error instanceof OfficeFault) return true;
    throw error;
  }
}
