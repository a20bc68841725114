/**
 * An agent that starts with nothing but the site's address: it registers, buys, submits a sealed inquiry, answers
 * questions and opens the finding. It saves its state in a file, so that it can be stopped and started again.
 *
 *   npm run example:agent -- https://localhost:8443 --ca data/tls/localhost.crt --contact you@example.com
 *
 * --ca names the self-signed certificate of the service, if it uses one.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { parseArgs } from 'node:util';
import {
  type CaseSecrets,
  computeThread,
  generateCaseSecrets,
  openEnvelope,
  type PublishedSealingKeys,
  sealCaseKey,
  sealEnvelope,
} from './sealed-case.ts';
import {
  type AgentCredentials,
  createServiceCaller,
  discoverService,
  fetchJson,
  registerAgent,
} from './service.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    contact: { type: 'string', default: 'agent@example.com' },
    tier: { type: 'string', default: 'Trace' },
    question: { type: 'string', default: 'Is this recruiter who she says she is?' },
    answer: { type: 'string', default: 'I know no more than I wrote.' },
    state: { type: 'string', default: 'agent-state.json' },
    poll: { type: 'string', default: '0' },
    ca: { type: 'string' },
  },
});
const [site] = positionals;
if (!site)
  throw new Error(
    'Usage: npm run example:agent -- SITE_URL [--ca FILE] [--contact ADDRESS] [--tier TIER] [--poll SECONDS]',
  );
if (values.ca) setDefaultCACertificates([...getCACertificates(), readFileSync(values.ca, 'utf8')]);
const pollSeconds = Number(values.poll);

interface AgentState {
  readonly credentials?: AgentCredentials;
  readonly checkout?: { readonly key: string; readonly url: string };
  readonly orderId?: string;
  readonly secrets?: CaseSecrets;
  readonly caseId?: string;
}

interface Order {
  readonly id: string;
  readonly status: string;
  readonly created_at: string;
}

interface Case {
  readonly state: 'received' | 'in_progress' | 'awaiting_client' | 'delivered' | 'declined' | 'withdrawn';
  readonly files: readonly { readonly id: string; readonly kind: string; readonly seq: number }[];
}

let state: AgentState = existsSync(values.state)
  ? (JSON.parse(readFileSync(values.state, 'utf8')) as AgentState)
  : {};

/** Called before each next step, because unsaved state is lost when the process ends. */
function storeState(change: AgentState): AgentState {
  state = { ...state, ...change };
  // Write and rename, so that an interrupted process leaves the old file intact.
  writeFileSync(`${values.state}.new`, JSON.stringify(state, null, 2), { mode: 0o600 });
  renameSync(`${values.state}.new`, values.state);
  return state;
}

const waitBeforePoll = (defaultSeconds: number) => sleep((pollSeconds || defaultSeconds) * 1_000);
const toBase64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

const service = await discoverService(site);
console.log(`Found the API at ${service.api}.`);

const credentials =
  state.credentials ?? (await registerAgent(service.registerUri, values.contact, pollSeconds));
storeState({ credentials });
const callService = await createServiceCaller(service, credentials);
console.log(`Approved as client ${credentials.clientId}.`);

const orderId = state.orderId ?? (await buyTier());
storeState({ orderId });
await followCase(state.caseId ?? (await submitInquiry(orderId)));

async function buyTier(): Promise<string> {
  const { configured } = (await fetchJson(new URL(`${service.api}/stripe/status`))) as {
    configured: boolean;
  };
  if (!configured) throw new Error('payments are closed at the moment');
  const key = state.checkout?.key ?? randomUUID();
  const { url } = await callService<{ url: string }>('POST', '/stripe/checkout', { tier: values.tier }, key);
  storeState({ checkout: { key, url } });
  console.log(`A person pays at ${url}`);
  for (;;) {
    const { orders } = await callService<{ orders: Order[] }>('GET', '/orders?limit=100');
    // Orders of one day come in no particular order; an open one has its exact time.
    const [newest] = orders
      .filter(({ status }) => status === 'pending' || status === 'paid')
      .toSorted((a, b) => b.created_at.localeCompare(a.created_at));
    if (!newest) throw new Error('the order is no longer open');
    if (newest.status === 'paid') return newest.id;
    await waitBeforePoll(5);
  }
}

async function submitInquiry(paid: string): Promise<string> {
  console.log('Paid. Sealing the inquiry.');
  const secrets = state.secrets ?? (await generateCaseSecrets());
  storeState({ secrets });
  const keys = (await fetchJson(new URL(`${service.api}/sealing-keys`))) as PublishedSealingKeys;
  const envelope = await sealEnvelope(secrets, 'inquiry.v1', 0, {
    payment_ref: paid,
    alias: 'Example Agent',
    question: values.question,
    subject: 'A recruiter who wrote to the person I work for',
    identifiers: ['+44 20 7946 0000'],
    background: '',
    jurisdiction: 'FR',
    safety_risk: 'none',
    subject_is_protected: 'no',
    contact: { mode: 'return_only', value: '', safe_times: '' },
    call_windows: [],
    lawful_purpose: true,
    files: [],
  });
  const opened = await callService<{ id: string; due_at: string }>('POST', '/inquiries', {
    order_id: paid,
    terms_version: service.termsVersion,
    sealed: {
      lookup_hash: secrets.lookupHash,
      case_key: toBase64url(await sealCaseKey(secrets, keys)),
      sealing_set: keys.set,
      envelope: toBase64url(envelope),
    },
  });
  storeState({ caseId: opened.id });
  console.log(`Case ${opened.id} is open, due ${opened.due_at}.`);
  return opened.id;
}

async function followCase(id: string): Promise<void> {
  const { secrets } = state;
  if (!secrets) throw new Error('the keys of the case are lost');
  const thread: Thread = { buyer: [], desk: [] };
  for (;;) {
    const current = await callService<Case>('GET', `/cases/${id}`);
    await readMessages(id, secrets, thread);
    switch (current.state) {
      case 'awaiting_client':
        await sendAnswer(id, secrets, thread);
        break;
      case 'delivered':
        return await printFinding(id, secrets, current);
      case 'declined':
      case 'withdrawn':
        return console.log(`The case was ${current.state}.`);
      case 'received':
      case 'in_progress':
        break;
    }
    await waitBeforePoll(60);
  }
}

interface Messages {
  readonly messages: readonly {
    readonly by: 'buyer' | 'desk';
    readonly seq: number;
    readonly sealed: string;
  }[];
  readonly next?: string;
}

/** The sealed messages of each side, by their number. */
type Thread = Readonly<Record<'buyer' | 'desk', Uint8Array[]>>;

/** Stops if the service has left one out: its neighbours would read as if it had never been there. */
async function readMessages(id: string, secrets: CaseSecrets, thread: Thread): Promise<void> {
  const fromDesk: { readonly seq: number; readonly message: CaseMessage }[] = [];
  let after: string | undefined = `${thread.buyer.length}.${thread.desk.length}`;
  while (after !== undefined) {
    const page: Messages = await callService('GET', `/cases/${id}/messages?after=${after}`);
    for (const { by, seq, sealed } of page.messages) {
      const bytes = Buffer.from(sealed, 'base64url');
      const kind = by === 'desk' ? 'desk-message.v1' : 'buyer-message.v1';
      const message = (await openEnvelope(secrets, kind, seq, bytes)) as CaseMessage;
      if (seq !== thread[by].length) throw new Error(`message ${thread[by].length} of the ${by} is missing`);
      thread[by].push(bytes);
      if (by === 'desk') fromDesk.push({ seq, message });
      console.log(`${by === 'desk' ? 'The desk' : 'We'} wrote: ${message.text}`);
    }
    after = page.next;
  }
  for (const { seq, message } of fromDesk) checkThread(seq, message, thread);
}

interface CaseMessage {
  readonly text: string;
  readonly seen?: number | null;
  readonly thread?: string | null;
}

/** Compares what the desk had read with what we have. */
function checkThread(seq: number, { seen, thread }: CaseMessage, { buyer, desk }: Thread): void {
  if (seen === undefined || seen === null) return;
  if (thread !== computeThread(desk.slice(0, seq), buyer.slice(0, seen)))
    throw new Error('the desk had read other messages than ours');
}

async function sendAnswer(id: string, secrets: CaseSecrets, { buyer, desk }: Thread): Promise<void> {
  const seq = buyer.length;
  const sealed = await sealEnvelope(secrets, 'buyer-message.v1', seq, {
    text: values.answer,
    call_windows: [],
    seen: desk.length,
    thread: computeThread(buyer, desk),
  });
  await callService('POST', `/cases/${id}/messages`, { seq, sealed: toBase64url(sealed) });
}

async function printFinding(id: string, secrets: CaseSecrets, { files }: Case): Promise<void> {
  const file = files.find(({ kind }) => kind === 'finding.v1');
  if (!file) throw new Error('the finding is not there');
  const sealed = await callService<Uint8Array>('GET', `/cases/${id}/files/${file.id}`);
  const { markdown } = (await openEnvelope(secrets, 'finding.v1', file.seq, sealed)) as { markdown: string };
  console.log(`The finding:\n\n${markdown}`);
}
