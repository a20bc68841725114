/** The commands that open a case with the desk key: print its contents and can save its files. */
import { join } from 'node:path';
import { pickNextCase } from '#desk/model/case-queue.ts';
import type { DeskNote, DeskOpenedCase } from '#desk/office/case-reader.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { ENGLISH } from '#language/languages.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { toIsoTime, toIsoTimeOrNull } from '#platform/text/iso-time.ts';
import { buildCallPlan } from '#seal/case/call-plan.ts';
import type { LinkedMessage } from '#seal/case/case-content.ts';
import { listCaseDifferences } from '#seal/case/case-differences.ts';
import type { FilePlace } from '#seal/case/case-files.ts';
import { messageKinds } from '#seal/case/message.ts';
import { toLinkText } from '#seal/case/message-text.ts';
import { NOTE_KIND } from '#seal/case/note.ts';
import { isUnshownReason, type OpenedPart, type UnreadableReason } from '#seal/case/opened-part.ts';
import type { SealedPlace } from '#seal/core/envelope.ts';
import { SEALED_FILE_KINDS, type SealedFileKind } from '#seal/core/header.ts';
import { SealError } from '#seal/core/seal-error.ts';
import { formatPartName } from '#seal/files/archive-name.ts';
import { toSavedName } from '#seal/files/saved-name.ts';
import type { DeskCase } from '#wire/desk-cases.ts';
import { sayText } from '#wire/said-text.ts';
import { type CommandReport, createCommand } from '../command.ts';
import { type OfficeLink, officeOptions, withOffice } from '../office-link.ts';
import { createPrivateFolder, requireFreePath, savePrivateFile } from '../terminal/files.ts';
import { withProgress } from '../terminal/progress.ts';
import { formatObjectName, toCaseJson } from './case-facts.ts';
import { formatOpenedCase } from './case-text.ts';
import { parseTier, tierOption, walkQueue } from './list-choice.ts';
import { openNamedCase } from './office-cases.ts';

interface UnopenedPart extends SealedPlace {
  readonly reason: UnreadableReason;
  readonly detail: string;
}

interface StoredFile extends FilePlace {
  readonly size: number;
}

const fileLabels: Readonly<Record<SealedFileKind, string>> = {
  'inquiry-file.v1': 'inquiry',
  'buyer-message-file.v1': 'message',
  'finding-file.v1': 'finding',
};

export const openCaseCommand = createCommand({
  usage: 'cases open ID [--out FOLDER]',
  about: 'Open a case: print the inquiry, the messages, the notes and the finding, and save its files.',
  options: [
    ...officeOptions,
    ['--out FOLDER', 'save the files in this folder; without it no file is written'],
  ],
  operands: 1,
  work: async ({ out, ...values }, [operand]) =>
    await withOffice(values, async (link) => {
      const opened = await openNamedCase(link, operand, { marksSeen: true });
      return await reportOpenedCase(link, opened, out);
    }),
});

/** Saves the files of the case in `out`, if defined. `facts` may be newer than the opened case. */
async function reportOpenedCase(
  link: OfficeLink,
  opened: DeskOpenedCase,
  out: string | undefined,
  facts: DeskCase = opened.facts,
): Promise<CommandReport> {
  const parts = listUnopenedParts(opened);
  const unshown = parts.filter(({ reason }) => isUnshownReason(reason));
  const places = listCaseFiles(opened);
  const files =
    out === undefined
      ? { saved: [], unreadable: [] }
      : await saveCaseFiles(link, facts.id, [...places, ...unshown], out);
  const unreadable = [...parts, ...files.unreadable];
  const current = { ...opened, facts };
  const faults = [
    ...listUnreadableLines(unreadable),
    ...listGapLines(opened),
    ...listAlteredLines(opened),
    ...listDifferenceLines(current),
  ];
  return {
    text: formatOpenedCase(
      current,
      { total: places.length + unshown.length, saved: files.saved },
      link.names,
    ),
    json: { ...toOpenedCaseJson(current), unreadable, saved: files.saved },
    fault: faults.length > 0 ? new ProgramError(faults.join(' '), EXIT_CODES.dataError) : undefined,
  };
}

function toOpenedCaseJson(opened: DeskOpenedCase) {
  const { facts, content, fingerprint, gaps, notes, seen } = opened;
  const { inquiry, thread, finding } = content;
  return {
    case: toCaseJson(facts),
    fingerprint,
    inquiry: 'content' in inquiry ? inquiry.content : null,
    call: buildCallPlan(content, facts.call === 'booked'),
    messages: thread.flatMap((entry) => ('said' in entry ? toMessageJson(entry) : [])),
    missing: (['buyer', 'desk'] as const).flatMap((by) =>
      gaps.filter(({ kind }) => kind === messageKinds[by]).map(({ first, last }) => ({ by, first, last })),
    ),
    differences: listCaseDifferences(content, facts).map(({ code }) => code),
    seen: seen.buyer,
    finding: finding && 'content' in finding ? finding.content : null,
    notes: notes.map(({ seq, at, by, said }) => ({
      seq,
      at: toIsoTime(at),
      by,
      text: 'text' in said ? said.text : null,
    })),
    missing_notes: gaps.filter(({ kind }) => kind === NOTE_KIND).map(({ first, last }) => ({ first, last })),
  };
}

function toMessageJson({ by, seq, at, said, link }: LinkedMessage<number>) {
  const unreadable = {
    text: null,
    call_windows: [],
    call_number: null,
    call: null,
    act: null,
    keep_days: null,
    findings: null,
    files: [],
    seen: null,
    thread: null,
  };
  return { by, seq, at: toIsoTimeOrNull(at), ...('content' in said ? said.content : unreadable), link };
}

function listUnopenedParts({ content, notes }: DeskOpenedCase): UnopenedPart[] {
  const { inquiry, messages, finding, findingSeq } = content;
  const parts: (SealedPlace & { part: OpenedPart<unknown> | DeskNote['said'] })[] = [
    { kind: 'inquiry.v1', seq: 0, part: inquiry },
    ...messages.map(({ by, seq, said }) => ({ kind: messageKinds[by], seq, part: said })),
    ...(finding ? [{ kind: 'finding.v1', seq: findingSeq, part: finding } as const] : []),
    ...notes.map(({ seq, said }) => ({ kind: NOTE_KIND, seq, part: said })),
  ];
  return parts.flatMap(({ kind, seq, part }) =>
    'unreadable' in part ? [{ kind, seq, reason: part.reason, detail: part.unreadable }] : [],
  );
}

/** A part that merely cannot be shown is not damaged: it was sealed with the case key. */
function listUnreadableLines(parts: readonly UnopenedPart[]): string[] {
  const faults = parts.filter(({ reason }) => !isUnshownReason(reason));
  const lines = faults.map((part) => `${formatObjectName(part)}: ${part.detail}`);
  return lines.length > 0 ? ['Some parts cannot be opened.', ...lines] : [];
}

/** A buyer can name thousands of files that do not exist. */
const MAX_GAPS_TOLD = 10;

function listGapLines({ gaps }: DeskOpenedCase): string[] {
  const lines = gaps.slice(0, MAX_GAPS_TOLD).map(({ text }) => text);
  return gaps.length > MAX_GAPS_TOLD ? [...lines, `And ${gaps.length - MAX_GAPS_TOLD} more.`] : lines;
}

/** Lists messages whose predecessors are no longer those that they were written after, but none that merely crossed. */
function listAlteredLines({ content }: DeskOpenedCase): string[] {
  return content.thread.flatMap((entry) => {
    if (!('said' in entry) || entry.link !== 'altered') return [];
    const name = formatObjectName({ kind: messageKinds[entry.by], seq: entry.seq });
    return `${name}: ${sayText(ENGLISH, toLinkText('altered'))}`;
  });
}

/** A retention that differs from the desk's is shown but is not a fault: the buyer may have changed it since. */
function listDifferenceLines({ content, facts }: DeskOpenedCase): string[] {
  const faults = listCaseDifferences(content, facts).filter(({ code }) => code !== 'kept');
  return faults.map(({ said }) => sayText(ENGLISH, said));
}

function listCaseFiles({ objects }: DeskOpenedCase): StoredFile[] {
  return objects.flatMap(({ kind, seq, size }) => {
    const fileKind = SEALED_FILE_KINDS.find((known) => known === kind);
    return fileKind ? [{ kind: fileKind, seq, size }] : [];
  });
}

/** Leaves out what is damaged or forged, and saves everything else. */
async function saveCaseFiles(
  { office }: OfficeLink,
  id: string,
  places: readonly (StoredFile | SealedPlace)[],
  folder: string,
): Promise<{ readonly saved: readonly string[]; readonly unreadable: readonly UnopenedPart[] }> {
  await createPrivateFolder(folder);
  const saved: string[] = [];
  const unreadable: UnopenedPart[] = [];
  const saveFile = async ({ kind, seq, size }: StoredFile) => {
    const opened = await office.streamFile(id, { kind, seq });
    const name = `${fileLabels[kind]}-${seq + 1}-${toSavedName(opened.name)}`;
    const path = join(folder, name);
    requireFreePath(path);
    await savePrivateFile(path, withProgress(opened.content, name, size));
    saved.push(path);
  };
  const savePart = async (place: SealedPlace) => {
    const bytes = await office.readPartBytes(id, place);
    const path = join(folder, `${formatPartName(place)}.txt`);
    await savePrivateFile(path, ReadableStream.from([bytes]));
    saved.push(path);
  };
  for (const place of places)
    try {
      await ('size' in place ? saveFile(place) : savePart(place));
    } catch (error) {
      if (!(error instanceof OfficeFault && error.cause instanceof SealError)) throw error;
      const { kind, seq } = place;
      unreadable.push({ kind, seq, reason: error.cause.code, detail: error.message });
    }
  return { saved, unreadable };
}

/** Colleagues may take a case first, so another one is tried. */
const MAX_TRIES = 20;

export const openNextCaseCommand = createCommand({
  usage: 'cases next [--tier TIER] [--out FOLDER]',
  about: `Take the case that is due first among yours and the unassigned ones, and open it.
Cases that wait for the buyer are skipped.`,
  options: [
    ...officeOptions,
    tierOption,
    ['--out FOLDER', 'save its files in this folder; without it no file is written'],
  ],
  work: async ({ tier: tierName, out, ...values }) => {
    const tier = parseTier(tierName);
    return await withOffice(values, async (link) => {
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

/** Returns null if a colleague was quicker or the case has changed. */
async function takeUnlessTaken(link: OfficeLink, id: string): Promise<DeskCase | null> {
  try {
    return await link.office.act(id, 'take');
  } catch (error) {
    if (error instanceof OfficeFault && OVERTAKEN.includes(error.code)) return null;
    throw error;
  }
}
