/** What is missing in a case: numbers that were given, or seen before, and are not there any more. */
import type { CaseContent } from '#seal/case-content.ts';
import { type CaseFile, listFindingFiles, listInquiryFiles, listMessageFiles } from '#seal/case-files.ts';
import { formatPlace } from '#seal/envelope.ts';
import type { SealedKind } from '#seal/header.ts';
import { MAX_MESSAGES, messageKinds } from '#seal/message.ts';
import { NOTE_KIND } from '#seal/note.ts';
import type { DeskCaseFile } from '#wire/desk-cases.ts';
import type { KnownCase } from './known-case.ts';

export interface CaseGap {
  readonly kind: SealedKind;
  readonly first: number;
  readonly last: number;
  /** A whole sentence about it. */
  readonly text: string;
}

/** `content` tells what its writers had before them; `known` what this desk has seen. */
export function listCaseGaps(
  known: Pick<KnownCase, 'counts'>,
  file: DeskCaseFile,
  content: CaseContent<number>,
  files: readonly CaseFile[],
): CaseGap[] {
  const present = new Set(file.envelopes.map(formatPlace));
  const stored = new Set(file.objects.map(formatPlace));
  const told = { buyer: file.case.messages.buyer, desk: file.case.messages.desk };
  const sides = (['buyer', 'desk'] as const).flatMap((by) => {
    const kind = messageKinds[by];
    const proven = content.thread.map((entry) =>
      'missing' in entry && entry.by === by ? entry.missing.last + 1 : 0,
    );
    return listMissing(kind, Math.max(told[by], known.counts.get(kind) ?? 0, ...proven), present);
  });
  const notes = Math.max(file.case.messages.notes, known.counts.get(NOTE_KIND) ?? 0);
  const isDelivered = file.case.delivered_at !== null;
  return [
    ...listMissing('inquiry.v1', 1, present),
    ...sides,
    ...listMissing(NOTE_KIND, notes, present),
    ...(isDelivered && content.finding === null ? [createGap('finding.v1', 0, 0)] : []),
    ...files
      .filter((each) => !stored.has(formatPlace(each)))
      .map(({ kind, seq }) => createGap(kind, seq, seq)),
  ];
}

/** The files that the opened parts name. */
export function listNamedFiles({ inquiry, messages, finding, findingSeq }: CaseContent<number>): CaseFile[] {
  const inquiryFiles = 'content' in inquiry ? listInquiryFiles(inquiry.content) : [];
  const messageFiles = messages.flatMap(({ by, seq, said }) =>
    by === 'buyer' && 'content' in said ? listMessageFiles(said.content, seq) : [],
  );
  const findingFiles = finding && 'content' in finding ? listFindingFiles(finding.content, findingSeq) : [];
  return [...inquiryFiles, ...messageFiles, ...findingFiles];
}

/** Joins neighbours. */
function listMissing(kind: SealedKind, count: number, present: ReadonlySet<string>): CaseGap[] {
  const gaps: CaseGap[] = [];
  // A number beyond the limit comes from a broken office; counting up to it could take for ever.
  for (let seq = 0; seq < Math.min(count, MAX_MESSAGES); seq += 1) {
    if (present.has(formatPlace({ kind, seq }))) continue;
    const last = gaps.at(-1);
    if (last && last.last === seq - 1) gaps.splice(-1, 1, createGap(kind, last.first, seq));
    else gaps.push(createGap(kind, seq, seq));
  }
  return gaps;
}

const names: Readonly<Partial<Record<SealedKind, string>>> = {
  'inquiry.v1': 'The inquiry',
  'inquiry-file.v1': 'A file of the inquiry',
  [messageKinds.buyer]: 'A message of the buyer',
  'buyer-message-file.v1': 'A file of the buyer',
  [messageKinds.desk]: 'A message of the desk',
  [NOTE_KIND]: 'A note',
  'finding.v1': 'The finding',
  'finding-file.v1': 'A file of the finding',
};

function createGap(kind: SealedKind, first: number, last: number): CaseGap {
  const numbers = first === last ? `number ${first + 1}` : `numbers ${first + 1} to ${last + 1}`;
  const text = `${names[kind] ?? kind} is missing (${numbers}): it was there, and the office no longer hands it out.`;
  return { kind, first, last, text };
}
