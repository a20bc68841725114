/** The file beside a desk key that remembers how many of the buyer's messages there were when it last opened a case. */
import { computeSeenListMac, createDeskTagger } from '#seal/core/key-pin.ts';
import { toSiblingPath } from './beside-key.ts';
import type { PinFile } from './pin-file.ts';
import { computeLastMonth, readTagList, type TagListKind, updateTagList } from './tag-list.ts';

const DAMAGE =
  'damaged, changed without the key, or of another key. Move it away: every case then counts as new.';
const SEEN: TagListKind = {
  format: 'inquiry-office seen 2',
  computeMac: computeSeenListMac,
  otherKey: DAMAGE,
  damage: DAMAGE,
};

export interface SeenMarks {
  /** How many messages of the buyer the last opening of the case with this key showed. */
  get(caseId: string): number | undefined;
}

/** Never opened with this key, or with more messages of the buyer than at the last opening. */
export function isNewToKey(marks: SeenMarks, caseId: string, buyerMessages: number): boolean {
  return (marks.get(caseId) ?? -1) < buyerMessages;
}

/** Without a file nothing was opened yet. */
export async function readSeenMarks({ identity, path }: PinFile): Promise<SeenMarks> {
  const lines = await readTagList({ identity, path: toSeenPath(path) }, SEEN, Date.now());
  const counts = new Map(lines.map(([mark = '', count]) => [mark, Number(count)]));
  const tag = createDeskTagger(identity);
  return { get: (caseId) => counts.get(tag('seen', caseId)) };
}

/** A count never goes down: what was read stays read. */
export async function saveSeenMark(
  { identity, path }: PinFile,
  caseId: string,
  buyerMessages: number,
  now = Date.now(),
): Promise<void> {
  const file = { identity, path: toSeenPath(path) };
  const mark = createDeskTagger(identity)('seen', caseId);
  const month = computeLastMonth(now);
  const known = (await readTagList(file, SEEN, now)).find(([each]) => each === mark);
  if (known && Number(known[1]) >= buyerMessages && known[2]! >= month) return;
  await updateTagList(file, SEEN, now, (lines) => {
    const [, count = 0] = lines.find(([each]) => each === mark) ?? [];
    const others = lines.filter(([each]) => each !== mark);
    return [...others, [mark, `${Math.max(Number(count), buyerMessages)}`, month]];
  });
}

/** Beside the pins. */
export function toSeenPath(pinPath: string): string {
  return toSiblingPath(pinPath, 'seen');
}
