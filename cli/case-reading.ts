/** The command that opens a case with the desk key: prints its contents and can save its files. */
import type { DecryptedCase } from '#cases/decrypted-case.ts';
import { type OpenedNote, openCaseNotes } from '#cases/notes.ts';
import { KeyFault } from '#desk-program/keys/key-fault.ts';
import type { PinFile } from '#desk-program/keys/pin-file.ts';
import { saveSeenMark } from '#desk-program/keys/seen-file.ts';
import { ENGLISH } from '#language/languages.ts';
import { formatFileFault } from '#platform/error-code.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { toIsoTimeOrNull } from '#platform/iso-time.ts';
import { buildCallPlan } from '#seal/call-plan.ts';
import type { LinkedMessage } from '#seal/case-content.ts';
import { listCaseDifferences } from '#seal/case-differences.ts';
import { computeKeyFingerprint } from '#seal/case-key.ts';
import type { SealedPlace } from '#seal/envelope.ts';
import { messageKinds } from '#seal/message.ts';
import { NOTE_KIND } from '#seal/note.ts';
import { isUnshownReason, type OpenedPart } from '#seal/opened-part.ts';
import { toLinkText, toMissingText } from '#seal/thread-text.ts';
import { sayText } from '#wire/said-text.ts';
import { formatObjectName, toCaseRecordJson } from './case-facts.ts';
import { formatNotesSection, listMissingNoteLines, toNotesJson } from './case-notes.ts';
import { formatOpenedCase } from './case-text.ts';
import { type CaseWorkspace, withCaseWorkspace } from './case-workspace.ts';
import { type CommandReport, createCommand } from './command.ts';
import { CommandFailure } from './failure.ts';
import { getIo } from './io.ts';
import { officeKeyHelp, officeKeyOptions, readDeskAccess } from './pinning-key.ts';
import { listCaseFiles, saveCaseFiles, type UnopenedPart } from './saved-case.ts';
import { countBuyerMessages, formatLostMessages } from './seen-option.ts';
import { terminalSafe } from './terminal-text.ts';

export const openCaseCommand = createCommand({
  usage: 'cases open ID --key FILE [--out FOLDER]',
  about: 'Open a case: print the inquiry, the messages, the notes and the finding, and save its files.',
  help: [...officeKeyHelp, ['--out FOLDER', 'save the files there; without it no file is written']],
  options: { ...officeKeyOptions, out: { type: 'string' } },
  operands: 1,
  work: async ({ out, ...keyOptions }, [id]) => {
    const desk = await readDeskAccess(keyOptions);
    return await withCaseWorkspace(id, desk, (workspace) => reportOpenedCase(workspace, desk, out));
  },
});

/** From then on the case is not new to this key. `out` is where its files are saved; undefined if they are not. */
export async function reportOpenedCase(
  { file, opened, names, lost, now }: Pick<CaseWorkspace, 'file' | 'opened' | 'names' | 'lost' | 'now'>,
  desk: PinFile,
  out: string | undefined,
): Promise<CommandReport> {
  const notes = await openCaseNotes(file, opened.key, desk.identity);
  const parts = listUnopenedParts(opened, notes);
  const unshown = parts.filter(({ reason }) => isUnshownReason(reason));
  const files =
    out === undefined
      ? { saved: [], unreadable: [] }
      : await saveCaseFiles(file, opened, { desk, unshown, folder: out });
  const unreadable = [...parts, ...files.unreadable];
  await saveSeenMark(desk, opened.record.id, countBuyerMessages(opened)).catch(warnOfUnseen);
  return {
    text: formatOpenedCase(opened, now(), {
      files: { total: listCaseFiles(file).length + unshown.length, saved: files.saved },
      notes: formatNotesSection(notes, names),
      names,
    }),
    json: { ...toOpenedCaseJson(opened, now()), ...toNotesJson(notes), unreadable, saved: files.saved },
    fault: createOpeningFailure([
      ...listUnreadableLines(unreadable),
      ...listBrokenLinks(opened),
      ...listDifferenceLines(opened),
      ...listMissingNoteLines(notes),
      ...(lost === 0 ? [] : [formatLostMessages(lost)]),
    ]),
  };
}

/** The case is shown nevertheless: its key may be on a disk that is only read. */
function warnOfUnseen(error: unknown): void {
  const reason = error instanceof KeyFault ? error.message : formatFileFault(error);
  getIo().stderr.write(`${terminalSafe.line(`That you opened it could not be noted: ${reason}`)}\n`);
}

function toOpenedCaseJson(opened: DecryptedCase, now: number) {
  const { record, key, inquiry, thread, finding } = opened;
  return {
    case: toCaseRecordJson(record, now),
    fingerprint: computeKeyFingerprint(key.recipient),
    inquiry: 'content' in inquiry ? inquiry.content : null,
    call: buildCallPlan(opened, record.call === 'booked'),
    messages: thread.flatMap((entry) => ('said' in entry ? toMessageJson(entry) : [])),
    missing: thread.flatMap((entry) => ('missing' in entry ? { by: entry.by, ...entry.missing } : [])),
    differences: listCaseDifferences(opened, record).map(({ code }) => code),
    seen: countBuyerMessages(opened),
    finding: finding && 'content' in finding ? finding.content : null,
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

function listUnopenedParts(
  { inquiry, messages, finding, findingSeq }: DecryptedCase,
  notes: readonly OpenedNote[],
): UnopenedPart[] {
  const parts: (SealedPlace & { part: OpenedPart<unknown> })[] = [
    { kind: 'inquiry.v1', seq: 0, part: inquiry },
    ...messages.map(({ by, seq, said }) => ({ kind: messageKinds[by], seq, part: said })),
    ...(finding ? [{ kind: 'finding.v1', seq: findingSeq, part: finding } as const] : []),
    ...notes.map(({ seq, note }) => ({ kind: NOTE_KIND, seq, part: note })),
  ];
  return parts.flatMap(({ kind, seq, part }) =>
    'unreadable' in part ? [{ kind, seq, reason: part.reason, detail: part.unreadable }] : [],
  );
}

/** A part that is only not shown is no damage: it was sealed with the key of the case. */
function listUnreadableLines(parts: readonly UnopenedPart[]): string[] {
  const faults = parts.filter(({ reason }) => !isUnshownReason(reason));
  const lines = faults.map((part) => `${formatObjectName(part)}: ${part.detail}`);
  return lines.length > 0 ? ['Not everything opens.', ...lines] : [];
}

/** A gap, and a message whose writer had others before it. Messages that merely crossed are not listed. */
function listBrokenLinks({ thread }: DecryptedCase): string[] {
  const lines = thread.flatMap((entry) => {
    if ('missing' in entry) return `${entry.by}: ${sayText(ENGLISH, toMissingText(entry))}`;
    const { by, seq, link } = entry;
    if (link !== 'altered') return [];
    return `${formatObjectName({ kind: messageKinds[by], seq })}: ${sayText(ENGLISH, toLinkText('altered'))}`;
  });
  return lines.length > 0 ? ['The messages are not those that were sent.', ...lines] : [];
}

/** Other days than the desk set may be those that the buyer has chosen since, so they are shown but are no fault. */
function listDifferenceLines(opened: DecryptedCase): string[] {
  const faults = listCaseDifferences(opened, opened.record).filter(({ code }) => code !== 'kept');
  return faults.map(({ said }) => sayText(ENGLISH, said));
}

function createOpeningFailure(lines: readonly string[]): CommandFailure | undefined {
  return lines.length > 0 ? new CommandFailure(lines.join(' '), EXIT_CODES.dataError) : undefined;
}
