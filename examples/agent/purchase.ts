/** Buys a tier: prints the address where a person pays, waits for the payment, then seals and sends an inquiry. */
import { randomBytes, randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { type CaseKey, type CaseKeyRecipients, generateCaseKey, sealCaseKey } from '#seal/core/case-key.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { stripImageMetadata } from '#seal/files/image-metadata.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import { type Inquiry, validateInquiry } from '#seal/form/inquiry.ts';
import { MAX_INQUIRY_FILE_BYTES } from '#seal/form/inquiry-files.ts';
import { AgentFailure, createFieldFailure, EXIT_USAGE, printText, readJsonFile } from './agent-state.ts';
import { type Agent, fetchJson } from './service.ts';

const POLL_SECONDS = 5;
const PIECE_BYTES = 256 * 1024;

/** A sample for trying the service. */
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

interface Order {
  readonly id: string;
  readonly status: string;
}

/** What to do when waiting for an order is useless. Only an unpaid order may be bought again. */
const orderEnds: Readonly<Record<string, string>> = {
  held: 'This payment is under review, which may take hours. Do not pay again: run this again later, or write to the maintainer.',
  redeemed: 'This order has opened a case. Do not pay again: its words open it.',
  refunded: 'The payment of this order was refunded, so it opens no case. Ask the payer what they want.',
  expired: 'The payment page expired before it was paid. Run this again for a new one.',
};

export async function ensurePaid({ api, state, call, send, wait }: Agent, tier: string): Promise<void> {
  if (state.facts.orderId) return;
  const status = await fetchJson<{ configured: boolean }>(new URL(`${api}/stripe/status`));
  if (!status.configured) throw new AgentFailure('Payments are closed at the moment.');
  // Stores the key before it is sent: if the response is lost, the same key leads to the same order.
  const checkout = state.facts.checkout ?? { key: randomUUID(), tier };
  state.store({ checkout });
  const body = { tier: checkout.tier };
  const answer = await send('POST', '/stripe/checkout', body, { 'idempotency-key': checkout.key });
  // A conflict also names the order: it was paid in an earlier run, or its payment is pending.
  if (!answer.ok && answer.status !== 409)
    throw new AgentFailure(`The checkout failed: ${answer.status} ${await answer.text()}`);
  const path = requireOrderPath(api, answer.headers.get('location'));
  const { url } = (await answer.json()) as { url?: string };
  let order = await call<Order>('GET', path);
  if (!isPaid(order) && url) printText(`A person pays at ${url}`);
  while (!isPaid(order)) {
    await wait(POLL_SECONDS);
    order = await call<Order>('GET', path);
  }
  state.store({ orderId: order.id });
  printText(`Paid: order ${order.id}.`);
}

/** Returns false while the order may still be paid; throws with advice if waiting does not help. */
export function isPaid({ status }: Order): boolean {
  if (status === 'paid') return true;
  if (status === 'pending') return false;
  throw new AgentFailure(
    orderEnds[status] ?? `The order is ${status}. Do not pay again before you know what that means.`,
  );
}

/** Returns the path of the new order. Refuses other addresses, because the token must be sent to the API only. */
export function requireOrderPath(api: string, location: string | null): string {
  const path = location?.startsWith(api) ? location.slice(api.length) : '';
  if (/^\/orders\/[\w-]+$/.test(path)) return path;
  throw new AgentFailure('The checkout does not say where its order is.');
}

export interface InquirySource {
  /** JSON with the fields of `inquiry.v1`, without `payment_ref` and `files`. */
  readonly file: string | undefined;
  readonly attachments: readonly string[];
  /** The user agreed to spend the payment on a sample. */
  readonly mayBeSample: boolean;
}

/** A payment buys one inquiry: it is not spent on a sample unless the user agreed. */
export function requireInquirySource({ file, mayBeSample }: InquirySource): void {
  if (file !== undefined || mayBeSample) return;
  throw new AgentFailure(
    'Name the inquiry: --inquiry FILE.json. To send a sample, which uses the payment up: --yes',
    EXIT_USAGE,
  );
}

export async function ensureSubmitted(agent: Agent, source: InquirySource): Promise<void> {
  const { state, api, call } = agent;
  const { caseId, orderId } = state.facts;
  if (caseId) return;
  if (!orderId) throw new AgentFailure('Nothing is paid for: office-agent buy --tier TIER', EXIT_USAGE);
  requireInquirySource(source);
  const attachments = await Promise.all(source.attachments.map(readAttachment));
  const inquiry = buildInquiry(agent, source, attachments);
  // Stores the words before anything is sent: if the response is lost, the same words lead to the same case.
  const words = state.facts.words ?? generateWords();
  state.store({ words });
  const wordKeys = await deriveWordKeys(words);
  const key = await generateCaseKey(wordKeys);
  const files: { upload: string; size: number }[] = [];
  for (const [seq, file] of attachments.entries()) files.push(await uploadFile(agent, key, file, seq));
  const keys = await fetchJson<CaseKeyRecipients & { set: string }>(new URL(`${api}/sealing-keys`));
  const terms = await fetchJson<{ terms_version: string }>(new URL(`${api}/pricing`));
  const envelope = await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, inquiry);
  const opened = await call<{ id: string; due_at: string }>('POST', '/inquiries', {
    order_id: orderId,
    terms_version: terms.terms_version,
    sealed: {
      lookup_hash: wordKeys.lookupHash,
      case_key: Buffer.from(await sealCaseKey(key, keys)).toString('base64url'),
      sealing_set: keys.set,
      envelope: Buffer.from(envelope).toString('base64url'),
      ...(files.length === 0 ? {} : { files }),
    },
  });
  state.store({ caseId: opened.id });
  printText(`Case ${opened.id} is open, due ${opened.due_at}. Its words are in ${state.file}.`);
}

interface Attachment {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Removes the location, time and device that a picture may contain. */
async function readAttachment(path: string): Promise<Attachment> {
  const { content } = await stripImageMetadata((await openAsBlob(path)).stream());
  return { name: basename(path), content: await readAll(content) };
}

function buildInquiry(
  { state }: Agent,
  { file }: InquirySource,
  attachments: readonly Attachment[],
): Inquiry {
  const { orderId, checkout } = state.facts;
  const fields = file === undefined ? SAMPLE_INQUIRY : readJsonFile(file);
  const files = attachments.map(({ name, content }) => ({ name, mime: '', size: content.length }));
  const checked = validateInquiry(
    { ...fields, payment_ref: orderId, files },
    { includesCall: checkout?.tier === 'Dossier', now: Date.now() },
  );
  if ('inquiry' in checked) return checked.inquiry;
  throw createFieldFailure('The inquiry is not complete:', checked.errors);
}

async function uploadFile({ state, call }: Agent, key: CaseKey, { name, content }: Attachment, seq: number) {
  const file = { name, mime: '', content: new Blob([content]).stream(), maxBytes: MAX_INQUIRY_FILE_BYTES };
  const sealed = await readAll(await sealFile(key, { kind: 'inquiry-file.v1', seq }, file));
  const upload = randomBytes(16).toString('base64url');
  for (let start = 0; start < sealed.length; start += PIECE_BYTES) {
    const path = `/orders/${state.facts.orderId}/uploads/${upload}/${start / PIECE_BYTES}`;
    await call('PUT', path, sealed.subarray(start, start + PIECE_BYTES));
  }
  printText(`Sealed and sent ${name}.`);
  return { upload, size: sealed.length };
}

export async function readAll(content: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(content).arrayBuffer());
}
