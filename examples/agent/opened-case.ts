/** Reads a case and opens all of it with the words: state, messages in their order, finding, files. */

import {
  buildCaseContent,
  type CaseContent,
  openCaseObjects,
  type SealedObject,
} from '#seal/case/case-content.ts';
import { type CaseDifferenceCode, listCaseDifferences } from '#seal/case/case-differences.ts';
import { type CaseFile, listFindingFiles } from '#seal/case/case-files.ts';
import { type CaseActor, MAX_MESSAGES, messageKinds } from '#seal/case/message.ts';
import { type CaseKey, openCaseKey } from '#seal/core/case-key.ts';
import type { SealedKind } from '#seal/core/header.ts';
import { deriveWordLookup } from '#seal/core/words.ts';
import { openSealedFile } from '#seal/files/sealed-file.ts';
import { decodeBase64url } from './base64url.ts';
import { AgentFailure, EXIT_USAGE } from './failure.ts';
import type { ConnectedAgent } from './run.ts';

interface CaseDetail {
  readonly state: 'received' | 'in_progress' | 'awaiting_client' | 'delivered' | 'declined' | 'withdrawn';
  readonly keep_days: number;
  readonly case_key: string;
  readonly files: readonly { readonly id: string; readonly kind: SealedKind; readonly seq: number }[];
}

interface MessagePage {
  readonly messages: readonly {
    readonly by: CaseActor;
    readonly seq: number;
    readonly sent_at: string;
    readonly sealed: string;
  }[];
  readonly next?: string;
}

export interface OpenedCase {
  readonly id: string;
  readonly state: CaseDetail['state'];
  readonly keepDays: number;
  readonly key: CaseKey;
  readonly content: CaseContent<string>;
  readonly files: CaseDetail['files'];
}

type CaseReader = Pick<ConnectedAgent, 'state' | 'callService'>;

/** What the desk has sealed is held against what the service says. */
export async function openCase(agent: CaseReader): Promise<OpenedCase> {
  const opened = await readCase(agent);
  // State and messages are two answers: something may have happened between them.
  const settled = listFaults(opened).length === 0 ? opened : await readCase(agent);
  const [fault] = listFaults(settled);
  if (fault) throw new AgentFailure(`${differenceTexts[fault]} Tell a person.`);
  return settled;
}

const differenceTexts: Readonly<Record<CaseDifferenceCode, string>> = {
  declined: 'The service says that the case is declined, but the desk has sealed no refusal.',
  not_declined: 'The desk has declined the case, but the service says otherwise.',
  asked: 'The service says that the desk waits for an answer, but the desk has asked nothing.',
  kept: 'The service keeps the case for another number of days than the desk has sealed.',
  taken_back: 'The finding is one that the desk has taken back.',
  finding_missing: 'The desk has delivered a finding, but the service does not give it out.',
};

/** Days may be those that the buyer has chosen since. */
function listFaults({ content, state, keepDays }: OpenedCase): CaseDifferenceCode[] {
  const differences = listCaseDifferences(content, { state, keep_days: keepDays });
  return differences.map(({ code }) => code).filter((code) => code !== 'kept');
}

async function readCase(agent: CaseReader): Promise<OpenedCase> {
  const { caseId, words } = agent.state.facts;
  if (!caseId || !words) throw new AgentFailure('There is no case yet: office-agent seal', EXIT_USAGE);
  const detail = await agent.callService<CaseDetail>('GET', `/cases/${caseId}`);
  const { identity, lookupHash } = deriveWordLookup(words);
  const key = await openCaseKey(decodeBase64url(detail.case_key), identity, lookupHash);
  const objects = [
    ...(await listEnvelopes(agent, caseId, detail.files)),
    ...(await listMessages(agent, caseId)),
  ];
  const content = buildCaseContent(await openCaseObjects(key, objects));
  requireWholeThread(content);
  const { state, keep_days: keepDays, files } = detail;
  return { id: caseId, state, keepDays, key, content, files };
}

async function listEnvelopes(
  { callService }: CaseReader,
  caseId: string,
  files: CaseDetail['files'],
): Promise<SealedObject<string>[]> {
  const envelopes = files.filter(({ kind }) => kind === 'inquiry.v1' || kind === 'finding.v1');
  if (new Set(envelopes.map(({ kind, seq }) => `${kind} ${seq}`)).size < envelopes.length)
    throw new AgentFailure('The service lists two parts of the case in one place. Tell a person.');
  return envelopes.map(({ id, kind, seq }) => ({
    kind,
    seq,
    at: '',
    readBytes: () => callService<Uint8Array>('GET', `/cases/${caseId}/files/${id}`),
  }));
}

/** Each page leads on to one that was not read, and all of them have no more than a case can have. */
export async function listMessages(
  { callService }: Pick<CaseReader, 'callService'>,
  caseId: string,
): Promise<SealedObject<string>[]> {
  const objects: SealedObject<string>[] = [];
  const cursors = new Set<string>();
  for (let after: string | undefined = '0.0'; after !== undefined; ) {
    if (cursors.has(after) || cursors.size > 2 * MAX_MESSAGES || !/^\d{1,3}\.\d{1,3}$/.test(after))
      throw new AgentFailure('The pages of messages lead nowhere. Tell a person.');
    cursors.add(after);
    const page: MessagePage = await callService('GET', `/cases/${caseId}/messages?after=${after}`);
    for (const { by, seq, sent_at: at, sealed } of page.messages)
      objects.push({ kind: messageKinds[by], seq, at, readBytes: () => decodeBase64url(sealed) });
    if (objects.length > 2 * MAX_MESSAGES)
      throw new AgentFailure('The case has more messages than a case can have. Tell a person.');
    after = page.next;
  }
  return objects;
}

/** A message that is missing or replaced must not pass: its neighbours would read as if it had never been there. */
function requireWholeThread({ thread }: CaseContent<string>): void {
  for (const entry of thread) {
    if ('missing' in entry)
      throw new AgentFailure(`Message ${entry.missing.first} of the ${entry.by} is missing. Tell a person.`);
    if (entry.link === 'altered' || entry.link === 'after_gap' || entry.link === 'unreadable')
      throw new AgentFailure(`Message ${entry.seq} of the ${entry.by} is ${entry.link}. Tell a person.`);
  }
}

export function listOpenedFindingFiles({ content }: OpenedCase): readonly CaseFile[] {
  const { finding, findingSeq } = content;
  return finding && 'content' in finding ? listFindingFiles(finding.content, findingSeq) : [];
}

export async function openCaseFile(
  { callService }: ConnectedAgent,
  { id, key, files }: OpenedCase,
  { kind, seq }: CaseFile,
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
  const stored = files.find((file) => file.kind === kind && file.seq === seq);
  if (!stored) throw new AgentFailure(`File ${seq} of the finding is missing. Tell a person.`);
  const sealed = await callService<Uint8Array>('GET', `/cases/${id}/files/${stored.id}`);
  const { name, content } = await openSealedFile(
    key,
    { kind, seq },
    new Blob([Uint8Array.from(sealed)]).stream(),
  );
  return { name, bytes: new Uint8Array(await new Response(content).arrayBuffer()) };
}
