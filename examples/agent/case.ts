/** Follows a case and opens all of it with the words: state, messages in their order, finding, files. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildCaseContent,
  type CaseContent,
  type LinkedMessage,
  openCaseObjects,
  type SealedObject,
} from '#seal/case/case-content.ts';
import { type CaseDifferenceCode, listCaseDifferences } from '#seal/case/case-differences.ts';
import { listFindingFiles } from '#seal/case/case-files.ts';
import { type CaseActor, MAX_MESSAGES, messageKinds, validateCaseMessage } from '#seal/case/message.ts';
import type { OpenedPart } from '#seal/case/opened-part.ts';
import { sealCaseMessage } from '#seal/case/sealed-message.ts';
import { type CaseKey, openCaseKey } from '#seal/core/case-key.ts';
import type { SealedKind } from '#seal/core/header.ts';
import { replaceUnseen } from '#seal/core/unseen-characters.ts';
import { deriveWordLookup } from '#seal/core/words.ts';
import { toArchiveName } from '#seal/files/archive-name.ts';
import { openSealedFile } from '#seal/files/sealed-file.ts';
import { AgentFailure, createFieldFailure, EXIT_USAGE, printJson, printText } from './agent-state.ts';
import { readAll } from './purchase.ts';
import type { Agent } from './service.ts';

const POLL_SECONDS = 60;

interface CaseDetail {
  readonly state: 'received' | 'in_progress' | 'awaiting_client' | 'delivered' | 'declined' | 'withdrawn';
  readonly keep_days: number;
  readonly case_key: string;
  readonly files: readonly { readonly id: string; readonly kind: SealedKind; readonly seq: number }[];
}

/** In these states the buyer has to answer, or the case has ended. */
const FOLLOWED_TO: readonly CaseDetail['state'][] = ['awaiting_client', 'delivered', 'declined', 'withdrawn'];

interface MessagePage {
  readonly messages: readonly {
    readonly by: CaseActor;
    readonly seq: number;
    readonly sent_at: string;
    readonly sealed: string;
  }[];
  readonly next?: string;
}

interface OpenedCase {
  readonly id: string;
  readonly detail: CaseDetail;
  readonly key: CaseKey;
  readonly content: CaseContent<string>;
}

type CaseReader = Pick<Agent, 'state' | 'call'>;

const differenceTexts: Readonly<Record<CaseDifferenceCode, string>> = {
  declined: 'The service says that the case is declined, but the desk has sealed no refusal.',
  not_declined: 'The desk has declined the case, but the service says otherwise.',
  asked: 'The service says that the desk waits for an answer, but the desk has asked nothing.',
  kept: 'The service keeps the case for another number of days than the desk has sealed.',
  taken_back: 'The finding is one that the desk has taken back.',
  finding_missing: 'The desk has delivered a finding, but the service does not give it out.',
};

/** Compares what the service says with what the desk has sealed. */
export async function openCase(agent: CaseReader): Promise<OpenedCase> {
  const opened = await readCase(agent);
  // State and messages are separate responses: the case may have changed between them.
  const settled = listFaults(opened).length === 0 ? opened : await readCase(agent);
  const [fault] = listFaults(settled);
  if (fault) throw new AgentFailure(`${differenceTexts[fault]} Tell a person.`);
  return settled;
}

/** A different retention is not a fault: the buyer may have chosen it since. */
function listFaults({ content, detail }: OpenedCase): CaseDifferenceCode[] {
  const codes = listCaseDifferences(content, detail).map(({ code }) => code);
  return codes.filter((code) => code !== 'kept');
}

async function readCase({ state, call }: CaseReader): Promise<OpenedCase> {
  const { caseId: id, words } = state.facts;
  if (!id || !words) throw new AgentFailure('There is no case yet: office-agent seal', EXIT_USAGE);
  const detail = await call<CaseDetail>('GET', `/cases/${id}`);
  const { identity, lookupHash } = deriveWordLookup(words);
  const key = await openCaseKey(Buffer.from(detail.case_key, 'base64url'), identity, lookupHash);
  const envelopes = detail.files.filter(({ kind }) => kind === 'inquiry.v1' || kind === 'finding.v1');
  if (new Set(envelopes.map(({ kind, seq }) => `${kind} ${seq}`)).size < envelopes.length)
    throw new AgentFailure('The service lists two parts of the case in one place. Tell a person.');
  const parts = envelopes.map(({ id: file, kind, seq }) => {
    const readBytes = () => call<Uint8Array>('GET', `/cases/${id}/files/${file}`);
    return { kind, seq, at: '', readBytes };
  });
  const objects = [...parts, ...(await listMessages({ call }, id))];
  const content = buildCaseContent(await openCaseObjects(key, objects));
  requireWholeThread(content);
  return { id, detail, key, content };
}

/** Refuses pages that repeat, or that contain more objects in all than a case can have. */
export async function listMessages({ call }: Pick<Agent, 'call'>, id: string) {
  const objects: SealedObject<string>[] = [];
  const cursors = new Set<string>();
  for (let after: string | undefined = '0.0'; after !== undefined; ) {
    if (cursors.has(after) || cursors.size > 2 * MAX_MESSAGES || !/^\d{1,3}\.\d{1,3}$/.test(after))
      throw new AgentFailure('The pages of messages lead nowhere. Tell a person.');
    cursors.add(after);
    const page: MessagePage = await call('GET', `/cases/${id}/messages?after=${after}`);
    for (const { by, seq, sent_at: at, sealed } of page.messages)
      objects.push({ kind: messageKinds[by], seq, at, readBytes: () => Buffer.from(sealed, 'base64url') });
    if (objects.length > 2 * MAX_MESSAGES)
      throw new AgentFailure('The case has more messages than a case can have. Tell a person.');
    after = page.next;
  }
  return objects;
}

/** Throws if a message is missing or replaced: the others would read as if it had never existed. */
function requireWholeThread({ thread }: CaseContent<string>): void {
  for (const entry of thread) {
    if ('missing' in entry)
      throw new AgentFailure(`Message ${entry.missing.first} of the ${entry.by} is missing. Tell a person.`);
    if (entry.link === 'altered' || entry.link === 'after_gap' || entry.link === 'unreadable')
      throw new AgentFailure(`Message ${entry.seq} of the ${entry.by} is ${entry.link}. Tell a person.`);
  }
}

/** Waits until the desk asks or the case has ended; prints each message once. */
export async function followCase(agent: Agent, printed = new Set<string>()): Promise<OpenedCase> {
  for (;;) {
    const opened = await openCase(agent);
    for (const message of opened.content.messages) {
      const place = `${message.by} ${message.seq}`;
      if (!printed.has(place)) printMessage(message);
      printed.add(place);
    }
    if (FOLLOWED_TO.includes(opened.detail.state)) return opened;
    await agent.wait(POLL_SECONDS);
  }
}

/** Prints the message as it was sealed. */
function printMessage({ by, said }: LinkedMessage<string>): void {
  const { act, keep_days: days, text } = readPart(said);
  const meanings = new Map<string | null, string>([
    ['ask', 'asks'],
    ['decline', 'declines'],
    ['retain', `keeps the case for ${days} days`],
  ]);
  printText(`${by === 'desk' ? `The desk ${meanings.get(act) ?? 'wrote'}` : 'We wrote'}: ${text}`);
}

/** Throws if the part could not be opened, so that its placeholder is not taken for content. */
function readPart<Content>(part: OpenedPart<Content>): Content {
  if ('content' in part) return part.content;
  throw new AgentFailure(`Something in the case does not open: ${part.unreadable}`);
}

export async function sendAnswer(agent: Agent, text: string): Promise<void> {
  const checked = validateCaseMessage({ text }, { now: Date.now() });
  if ('errors' in checked) throw createFieldFailure('The answer is refused:', checked.errors);
  const { id, key, content } = await openCase(agent);
  const answer = { by: 'buyer', message: checked.message } as const;
  const { seq, sealed } = await sealCaseMessage(key, content.messages, answer);
  const body = { seq, sealed: Buffer.from(sealed).toString('base64url') };
  await agent.call('POST', `/cases/${id}/messages`, body);
  printText('The answer is sent.');
}

export function printOutcome({ detail: { state }, content }: OpenedCase): void {
  if (content.finding) printText(`The finding:\n\n${readPart(content.finding).markdown}`);
  else if (state === 'awaiting_client')
    printText('The desk waits for an answer: office-agent answer --text TEXT');
  else printText(`The case is ${state}.`);
}

export function printCase(opened: OpenedCase, isJson: boolean): void {
  const { detail, content } = opened;
  if (isJson) {
    const messages = content.messages.map(({ by, seq, at, said }) => ({ by, seq, at, ...readPart(said) }));
    const finding = content.finding && readPart(content.finding);
    printJson({ state: detail.state, inquiry: readPart(content.inquiry), messages, finding });
    return;
  }
  for (const message of content.messages) printMessage(message);
  printOutcome(opened);
}

export async function saveFindingFiles(
  { call }: Agent,
  { id, detail, key, content }: OpenedCase,
  folder: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!content.finding) return;
  const files = listFindingFiles(readPart(content.finding), content.findingSeq);
  for (const [index, { kind, seq }] of files.entries()) {
    const stored = detail.files.find((file) => file.kind === kind && file.seq === seq);
    if (!stored) throw new AgentFailure(`File ${seq} of the finding is missing. Tell a person.`);
    const sealed = await call<Uint8Array<ArrayBuffer>>('GET', `/cases/${id}/files/${stored.id}`);
    const file = await openSealedFile(key, { kind, seq }, new Blob([sealed]).stream());
    // Numbers the files, because the desk may have given two of them the same name.
    const path = join(folder, `${index + 1}-${toArchiveName(file.name)}`);
    saveNewFile(path, await readAll(file.content));
    process.stderr.write(replaceUnseen(`Saved ${path}\n`));
  }
}

/** Overwrites no file and follows no link. */
export function saveNewFile(path: string, bytes: Uint8Array): void {
  try {
    writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new AgentFailure(`${path} exists already, so it was not saved. Name another folder with --out.`);
  }
}
