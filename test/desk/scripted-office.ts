/** An office whose every answer a test can write: honest by default, and it stores all that it receives. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseOfficeAddress } from '#desk/office/office-address.ts';
import { connectOffice, type OfficeClient, type OfficeOptions } from '#desk/office/office-client.ts';
import { formatShownPerson } from '#desk/office/office-people.ts';
import { generateId } from '#platform/text/ids.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { deriveRecipient, generateAgeIdentity } from '#seal/core/age.ts';
import { sealDeskChallenge } from '#seal/core/desk-challenge.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';
import type { DeskSession } from '#wire/desk-session.ts';
import { generateRecipient, type SealedFixture, sealFixture, toCaseFile } from './sealed-fixture.ts';
import { generateTestCertificate } from './test-certificate.ts';

export interface ReceivedRequest {
  readonly method: string;
  /** The path after `/api/desk`. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type ScriptedAnswer =
  | { readonly status?: number; readonly json: unknown; readonly headers?: Record<string, string> }
  | { readonly bytes: Uint8Array }
  | { readonly raw: (response: ServerResponse) => unknown };

/** Returns null for the honest answer. */
type Script = (request: ReceivedRequest) => ScriptedAnswer | Promise<ScriptedAnswer | null> | null;

export interface ScriptedOffice {
  readonly origin: string;
  readonly port: number;
  readonly ca: string;
  readonly spkiPin: string;
  readonly fixture: SealedFixture;
  readonly people: DeskSession['people'];
  readonly received: ReceivedRequest[];
  /** The sealed parts that it has received, by path. */
  readonly uploaded: Map<string, Buffer>;
  script: Script;
  readonly key: OfficeOptions['key'];
  readonly connect: (changes?: Partial<OfficeOptions>) => Promise<OfficeClient>;
  /** Connects as an investigator who has confirmed the people of the office. */
  readonly connectConfirmed: () => Promise<OfficeClient>;
}

export async function startScriptedOffice(t: CleanupScope): Promise<ScriptedOffice> {
  const identity = await generateAgeIdentity();
  const recipient = await deriveRecipient(identity);
  const { key: tlsKey, cert, spkiPin } = await generateTestCertificate();
  // Longer than any test, so that only the desk ends a connection.
  const server = createServer({ key: tlsKey, cert, keepAliveTimeout: 600_000 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const origin = `https://localhost:${port}`;
  const colleague = await generateRecipient();
  const path = join(await createTemporaryFolder(t), 'desk.key.pins');
  const office: ScriptedOffice = {
    origin,
    port,
    ca: cert,
    spkiPin,
    fixture: await sealFixture([recipient, colleague]),
    people: [
      { holder: computeInvestigatorId(recipient), name: 'Ada', role: 'owner', recipient },
      { holder: computeInvestigatorId(colleague), name: 'Bo', role: 'investigator', recipient: colleague },
    ],
    received: [],
    uploaded: new Map(),
    script: () => null,
    key: { identity, path },
    connect: async (changes) => {
      const address = parseOfficeAddress(origin)!;
      const desk = await connectOffice({ address, trust: { ca: cert }, key: office.key, ...changes });
      t.after(() => desk.close());
      return desk;
    },
    connectConfirmed: async () => {
      const desk = await office.connect();
      await desk.confirmPeople(office.people.map(formatShownPerson));
      return desk;
    },
  };
  server.on('request', (incoming, response) => void answerRequest(office, incoming, response));
  return office;
}

async function answerRequest(office: ScriptedOffice, incoming: IncomingMessage, response: ServerResponse) {
  const bytes = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>));
  const { method = '', url = '', headers } = incoming;
  const isSealed = headers['content-type'] === 'application/octet-stream';
  const request = {
    method,
    path: url.replace('/api/desk', ''),
    headers,
    body: isSealed ? '' : bytes.toString(),
  };
  office.received.push(request);
  if (isSealed) office.uploaded.set(request.path, bytes);
  const answer = (await office.script(request)) ?? (await answerHonestly(office, request));
  if ('raw' in answer) return answer.raw(response);
  if ('bytes' in answer)
    return response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(answer.bytes);
  const { status = 200 } = answer;
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  return response
    .writeHead(status, { 'content-type': type, ...answer.headers })
    .end(JSON.stringify(answer.json));
}

async function answerHonestly(office: ScriptedOffice, request: ReceivedRequest): Promise<ScriptedAnswer> {
  const { fixture } = office;
  const { method, path } = request;
  const place = path.replace(fixture.facts.id, 'ID').replace(/\?.*/, '');
  if (place === '/challenges') return { status: 201, json: await createChallenge(office) };
  if (method === 'PUT' || method === 'DELETE') return { raw: (response) => response.writeHead(204).end() };
  if (place === '/sessions') return { status: 201, json: createSession(office) };
  if (place === '/cases')
    return {
      json: {
        cases: [toCaseFile(fixture).case],
        next: null,
        counts: { open: 1, mine: 0, unanswered: 0, late: 0, unassigned: 1 },
        now: toIsoTime(Date.now()),
      },
    };
  if (method === 'GET' && place === '/cases/ID') return { json: toCaseFile(fixture) };
  const object = /^\/cases\/ID\/objects\/([\w.-]+)\/(\d+)\/pieces\/0$/.exec(place);
  const part = fixture.parts.find((each) => each.kind === object?.[1] && each.seq === Number(object[2]));
  if (part) return { bytes: part.bytes };
  if (method === 'POST') return { json: { case: storePart(office, request), now: toIsoTime(Date.now()) } };
  return { status: 404, json: { code: 'not_found' } };
}

/** Stores messages and notes, so that the next reading returns them. */
function storePart({ fixture }: ScriptedOffice, { path, body }: ReceivedRequest) {
  const { seq, sealed = '' } = JSON.parse(body) as { seq: number; sealed?: string };
  const kind = path.endsWith('/notes') ? 'note.v1' : path.endsWith('/messages') ? 'desk-message.v1' : null;
  if (kind)
    fixture.parts.push({ kind, seq, at: toIsoTime(Date.now()), bytes: Buffer.from(sealed, 'base64url') });
  return toCaseFile(fixture).case;
}

export async function createChallenge(
  { people, origin }: Pick<ScriptedOffice, 'people' | 'origin'>,
  changes: { readonly origin?: string; readonly expires?: number; readonly nonce?: string } = {},
) {
  const content = {
    origin,
    nonce: randomBytes(32).toString('base64url'),
    expires: Date.now() + 60_000,
    ...changes,
  };
  const sealed = await sealDeskChallenge(content, people[0]!.recipient);
  return { id: generateId(), sealed: Buffer.from(sealed).toString('base64url') };
}

const RECOVERY = await generateRecipient();

export function createSession({
  people,
  recovery = RECOVERY,
}: Pick<ScriptedOffice, 'people'> & { readonly recovery?: string }): DeskSession {
  return {
    token: randomBytes(32).toString('base64url'),
    expires_at: toIsoTime(Date.now() + 3_600_000),
    holder: people[0]!.holder,
    people: [...people],
    recovery,
    office: { version: '0.1.0', test: true },
  };
}
