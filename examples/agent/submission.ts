/** Seals an inquiry with its files, and sends it for the order that was paid. */
import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { type CaseKey, type CaseKeyRecipients, generateCaseKey, sealCaseKey } from '#seal/core/case-key.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { stripImageMetadata } from '#seal/files/image-metadata.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import { type Inquiry, validateInquiry } from '#seal/form/inquiry.ts';
import { MAX_INQUIRY_FILE_BYTES } from '#seal/form/inquiry-files.ts';
import { toBase64url } from './base64url.ts';
import { AgentFailure, describeFieldError, EXIT_USAGE, printText } from './failure.ts';
import type { ConnectedAgent } from './run.ts';
import { fetchJson } from './service.ts';
import { readJsonFile } from './state.ts';

const PIECE_BYTES = 256 * 1024;

/** To try the service out. */
const SAMPLE_INQUIRY = {
  alias: 'Example Agent',
  question: 'Is this recruiter who she says she is?',
  subject: 'A recruiter who wrote to the person I work for',
  identifiers: ['+44 20 7946 0000'],
  jurisdiction: 'FR',
  safety_risk: 'none',
  subject_is_protected: 'no',
  lawful_purpose: true,
};

export interface InquirySource {
  /** JSON with the fields of `inquiry.v1`, without `payment_ref` and `files`. */
  readonly file: string | undefined;
  readonly attachments: readonly string[];
  /** The user agreed that a sample may use the payment up. */
  readonly mayBeSample: boolean;
}

interface Attachment {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

interface SealedUpload {
  readonly upload: string;
  readonly size: number;
}

/** A payment buys one inquiry: it is not spent on a sample unless that is wanted. */
export function requireInquirySource({ file, mayBeSample }: InquirySource): void {
  if (file !== undefined || mayBeSample) return;
  throw new AgentFailure(
    'Name the inquiry: --inquiry FILE.json. To send a sample, which uses the payment up: --yes',
    EXIT_USAGE,
  );
}

export async function ensureSubmitted(agent: ConnectedAgent, source: InquirySource): Promise<string> {
  const { state, service, callService } = agent;
  const { caseId, orderId } = state.facts;
  if (caseId) return caseId;
  if (!orderId) throw new AgentFailure('Nothing is paid for: office-agent buy --tier TIER', EXIT_USAGE);
  requireInquirySource(source);
  const attachments = await Promise.all(source.attachments.map(readAttachment));
  const inquiry = buildInquiry(agent, { file: source.file, attachments, orderId });
  // Stored before anything is sent: the same words lead to the same case, if the answer is lost.
  const words = state.facts.words ?? generateWords();
  state.store({ words });
  const wordKeys = await deriveWordKeys(words);
  const key = await generateCaseKey(wordKeys);
  const files = await uploadFiles(agent, { key, attachments, orderId });
  const keys = await fetchJson<CaseKeyRecipients & { set: string }>(new URL(`${service.api}/sealing-keys`));
  const terms = await fetchJson<{ terms_version: string }>(new URL(`${service.api}/pricing`));
  const opened = await callService<{ id: string; due_at: string }>('POST', '/inquiries', {
    body: {
      order_id: orderId,
      terms_version: terms.terms_version,
      sealed: {
        lookup_hash: wordKeys.lookupHash,
        case_key: toBase64url(await sealCaseKey(key, keys)),
        sealing_set: keys.set,
        envelope: toBase64url(await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, inquiry)),
        ...(files.length === 0 ? {} : { files }),
      },
    },
  });
  state.store({ caseId: opened.id });
  printText(`Case ${opened.id} is open, due ${opened.due_at}. Its words are in ${state.file}.`);
  return opened.id;
}

/** Without the place, time and device that a picture may have in it. */
async function readAttachment(path: string): Promise<Attachment> {
  const { content } = await stripImageMetadata((await openAsBlob(path)).stream());
  return { name: basename(path), content: new Uint8Array(await new Response(content).arrayBuffer()) };
}

interface InquiryParts {
  readonly file: string | undefined;
  readonly attachments: readonly Attachment[];
  readonly orderId: string;
}

function buildInquiry({ state }: ConnectedAgent, { file, attachments, orderId }: InquiryParts): Inquiry {
  const fields = file === undefined ? SAMPLE_INQUIRY : readJsonFile(file);
  const files = attachments.map(({ name, content }) => ({ name, mime: '', size: content.length }));
  const checked = validateInquiry(
    { ...fields, payment_ref: orderId, files },
    { includesCall: state.facts.checkout?.tier === 'Dossier', now: Date.now() },
  );
  if ('inquiry' in checked) return checked.inquiry;
  const lines = checked.errors.map(describeFieldError);
  throw new AgentFailure(['The inquiry is not complete:', ...lines].join('\n'));
}

interface Attachments {
  readonly key: CaseKey;
  readonly attachments: readonly Attachment[];
  readonly orderId: string;
}

async function uploadFiles(agent: ConnectedAgent, { key, attachments, orderId }: Attachments) {
  const uploads: SealedUpload[] = [];
  for (const [seq, { name, content }] of attachments.entries()) {
    const file = { name, mime: '', content: new Blob([content]).stream(), maxBytes: MAX_INQUIRY_FILE_BYTES };
    const stream = await sealFile(key, { kind: 'inquiry-file.v1', seq }, file);
    const sealed = new Uint8Array(await new Response(stream).arrayBuffer());
    const upload = randomBytes(16).toString('base64url');
    for (let start = 0; start < sealed.length; start += PIECE_BYTES)
      await agent.callService('PUT', `/orders/${orderId}/uploads/${upload}/${start / PIECE_BYTES}`, {
        body: sealed.subarray(start, start + PIECE_BYTES),
      });
    uploads.push({ upload, size: sealed.length });
    printText(`Sealed and sent ${name}.`);
  }
  return uploads;
}
