/** The file beside a desk key that remembers what each case last showed when opened: messages, notes and assignee. */
import { computeSeenListMac, createDeskTagger } from '#seal/core/key-pin.ts';
import { toSiblingPath } from './beside-key.ts';
import type { PinFile } from './pin-file.ts';
import { computeLastMonth, readTagList, type TagListKind, updateTagList } from './tag-list.ts';

const DAMAGE =
  'damaged, changed without the key, or made with another key. Move it to another folder: every case then counts as new.';
const SEEN: TagListKind = {
  format: 'inquiry-office seen 2',
  computeMac: computeSeenListMac,
  otherKey: DAMAGE,
  damage: DAMAGE,
};

/** Enough to distinguish assignees. */
const ASSIGNED_LENGTH = 8;

/** What the last opening of a case with this key showed. */
export interface SeenCase {
  /** The number of the buyer's messages. */
  readonly buyer: number;
  readonly notes: number;
  /** The assignee, and who handed it over. */
  readonly assigned: string;
}

export type SeenMarks = Awaited<ReturnType<typeof readSeenMarks>>;

export async function readSeenMarks({ identity, path }: PinFile) {
  const lines = await readTagList({ identity, path: toSeenPath(path) }, SEEN, Date.now());
  const seen = new Map(lines.map(([mark = '', text = '']) => [mark, parseSeen(text)]));
  const tag = createDeskTagger(identity);
  return {
    /** The number of the buyer's messages that the last opening of the case with this key showed. */
    get: (caseId: string) => seen.get(tag('seen', caseId))?.buyer,
    /** Whether there are more notes now, and whether the assignment has changed; false if no opening is remembered. */
    compare: (caseId: string, { notes, assigned }: Omit<SeenCase, 'buyer'>) => {
      const known = seen.get(tag('seen', caseId));
      return {
        notes: known !== undefined && known.notes < notes,
        assigned: known?.assigned !== undefined && known.assigned !== hideAssigned(tag, caseId, assigned),
      };
    },
  };
}

/** `BUYER/NOTES/ASSIGNED`; a line of an earlier version has only the first number. */
function parseSeen(text: string): { buyer: number; notes: number; assigned: string | undefined } {
  const [buyer, notes = Infinity, assigned] = text.split('/');
  return { buyer: Number(buyer), notes: Number(notes), assigned };
}

/** Reveals nothing without the key. */
function hideAssigned(tag: ReturnType<typeof createDeskTagger>, caseId: string, assigned: string): string {
  return tag('seen', `${caseId} ${assigned}`).slice(0, ASSIGNED_LENGTH);
}

/** A count never decreases: a message that has been read stays read. */
export async function saveSeenMark(
  { identity, path }: PinFile,
  caseId: string,
  { buyer, notes, assigned }: SeenCase,
  now = Date.now(),
): Promise<void> {
  const file = { identity, path: toSeenPath(path) };
  const tag = createDeskTagger(identity);
  const mark = tag('seen', caseId);
  const month = computeLastMonth(now);
  const formatSeen = (before: string | undefined) => {
    const known = parseSeen(before ?? '0/0');
    const noted = Math.max(Number.isFinite(known.notes) ? known.notes : 0, notes);
    return `${Math.max(known.buyer, buyer)}/${noted}/${hideAssigned(tag, caseId, assigned)}`;
  };
  const known = (await readTagList(file, SEEN, now)).find(([each]) => each === mark);
  if (known && known[1] === formatSeen(known[1]) && known[2]! >= month) return;
  await updateTagList(file, SEEN, now, (lines) => {
    const before = lines.find(([each]) => each === mark)?.[1];
    const others = lines.filter(([each]) => each !== mark);
    return [...others, [mark, formatSeen(before), month]];
  });
}

/** Marks the investigator's own note as seen, unless an earlier note is still unseen. */
export async function saveOwnNote({ identity, path }: PinFile, caseId: string, seq: number): Promise<void> {
  const mark = createDeskTagger(identity)('seen', caseId);
  await updateTagList({ identity, path: toSeenPath(path) }, SEEN, Date.now(), (lines) =>
    lines.map(([each = '', text = '', month = '']) => {
      const [buyer, notes, assigned] = text.split('/');
      const isLast = each === mark && Number(notes) === seq;
      return [each, isLast ? `${buyer}/${seq + 1}/${assigned}` : text, month];
    }),
  );
}

export function toSeenPath(pinPath: string): string {
  return toSiblingPath(pinPath, 'seen');
}
