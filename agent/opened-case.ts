/** Reads a case and opens all of it with the words: state, messages in their order, finding, files. */

import {
  buildCaseContent,
  type CaseContent,
  openCaseObjects,
  type SealedObject,
} from '#seal/case-content.ts';
import { type CaseFile, listFindingFiles } from '#seal/case-files.ts';
import { type CaseKey, openCaseKey } from '#seal/case-key.ts';
import type { SealedKind } from '#seal/header.ts';
import { type CaseActor, messageKinds } from '#seal/message.ts';
import { openSealedFile } from '#seal/sealed-file.ts';
import { deriveWordLookup } from '#seal/words.ts';
import { decodeBase64url } from './base64url.ts';
import { AgentFailure, EXIT_USAGE } from './failure.ts';
import type { ConnectedAgent } from './run.ts';

interface CaseDetail {
  readonly state: 'received' | 'in_progress' | 'awaiting_client' | 'delivered' | 'declined' | 'withdrawn';
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
  readonly key: CaseKey;
  readonly content: CaseContent<string>;
  readonly files: CaseDetail['files'];
}

export async function openCase(agent: ConnectedAgent): Promise<OpenedCase> {
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
  return { id: caseId, state: detail.state, key, content, files: detail.files };
}

async function listEnvelopes(
  { callService }: ConnectedAgent,
  caseId: string,
  files: CaseDetail['files'],
): Promise<SealedObject<string>[]> {
  return files
    .filter(({ kind }) => kind === 'inquiry.v1' || kind === 'finding.v1')
    .map(({ id, kind, seq }) => ({
      kind,
      seq,
      at: '',
      readBytes: () => callService<Uint8Array>('GET', `/cases/${caseId}/files/${id}`),
    }));
}

async function listMessages(
  { callService }: ConnectedAgent,
  caseId: string,
): Promise<SealedObject<string>[]> {
  const objects: SealedObject<string>[] = [];
  let after: string | undefined = '0.0';
  while (after !== undefined) {
    const page: MessagePage = await callService('GET', `/cases/${caseId}/messages?after=${after}`);
    for (const { by, seq, sent_at: at, sealed } of page.messages)
      objects.push({ kind: messageKinds[by], seq, at, readBytes: () => decodeBase64url(sealed) });
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
