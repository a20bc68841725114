/** An investigator's desk for tests: opens challenges with its key, and proves its session with every request. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { deriveRecipient, generateAgeIdentity, openSealedBytes } from '#seal/core/age.ts';
import { readPrivateKey } from '#test/cases/stored-case.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { generateProofKey, type ProofKey } from '#test/oauth/dpop-proof.ts';
import { buildTestApp, type TestApp, type TestAppOptions } from '#test/test-app.ts';
import type { DeskSession } from '#wire/desk-session.ts';

export interface DeskKey {
  readonly identity: string;
  readonly recipient: string;
}

interface DeskPost {
  readonly method?: string;
  readonly body?: unknown;
  readonly bytes?: Uint8Array;
  readonly headers?: Record<string, string>;
  readonly from?: string;
}

export interface SignedInDesk {
  readonly session: DeskSession;
  readonly proofKey: ProofKey;
  /** A path below the desk, such as `/cases`. */
  readonly send: (path: string, ask?: DeskPost) => Promise<HttpsResponse>;
}

export const JSON_TYPE = { 'content-type': 'application/json' };

/** The one key of a service that has no configured people. */
export async function loadOnlyDeskKey(dataDir: string): Promise<DeskKey> {
  const identity = await readPrivateKey(dataDir, 'desk');
  return { identity, recipient: await deriveRecipient(identity) };
}

export async function generateDeskKey(): Promise<DeskKey> {
  const identity = await generateAgeIdentity();
  return { identity, recipient: await deriveRecipient(identity) };
}

interface DeskApp<Name extends string> extends TestApp {
  readonly keys: Readonly<Record<Name, DeskKey>>;
  /** The file that the configuration names. */
  readonly peopleFile: string;
}

/** A service with these people, each with a key of its own. */
export async function buildDeskApp<Name extends string>(
  t: CleanupScope,
  people: Readonly<Record<Name, 'owner' | 'investigator'>>,
  options: TestAppOptions = {},
): Promise<DeskApp<Name>> {
  const dataDir = await createDataFolder(t);
  const entries = await Promise.all(
    Object.keys(people).map(async (name) => [name, await generateDeskKey()] as const),
  );
  const keys = Object.fromEntries(entries) as Record<Name, DeskKey>;
  const lines = entries.map(([name, { recipient }]) => `${name} ${people[name as Name]} ${recipient}\n`);
  const file = join(dataDir, 'people.txt');
  await writeFile(file, lines.join(''));
  const { RECOVERY_RECIPIENT = '' } = await readRecipientSettings(dataDir);
  const keySettings = { RECOVERY_RECIPIENT, DESK_RECIPIENTS_FILE: file, DESK_RECIPIENTS: '' };
  const env = { DATA_DIR: dataDir, ...keySettings, ...options.env };
  return { ...(await buildTestApp(t, { ...options, env })), keys, peopleFile: file };
}

export async function requestChallenge(
  { get }: Pick<TestApp, 'get'>,
  { recipient }: Pick<DeskKey, 'recipient'>,
  from?: string,
): Promise<HttpsResponse> {
  const body = JSON.stringify({ recipient });
  return await get('/api/desk/challenges', {
    method: 'POST',
    headers: JSON_TYPE,
    body,
    ...(from ? { from } : {}),
  });
}

export async function openChallenge(
  key: Pick<DeskKey, 'identity'>,
  sealed: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse(await openChallengeText(key, sealed)) as Record<string, unknown>;
}

export async function openChallengeText(
  { identity }: Pick<DeskKey, 'identity'>,
  sealed: unknown,
): Promise<string> {
  const text = await openSealedBytes(Buffer.from(String(sealed), 'base64url'), identity);
  return Buffer.from(text).toString();
}

export async function answerChallenge(
  { get, services }: Pick<TestApp, 'get' | 'services'>,
  answer: { readonly id: unknown; readonly nonce: unknown },
  proofKey: ProofKey,
  claims: { readonly token?: string } = {},
): Promise<HttpsResponse> {
  const htu = `${services.addresses.api}/desk/sessions`;
  const headers = { ...JSON_TYPE, dpop: await proofKey.createProof({ htm: 'POST', htu, ...claims }) };
  return await get('/api/desk/sessions', { method: 'POST', headers, body: JSON.stringify(answer) });
}

export async function signInAtDesk(
  app: Pick<TestApp, 'get' | 'services'>,
  key: DeskKey,
): Promise<SignedInDesk> {
  const { json } = await requestChallenge(app, key);
  const { nonce } = await openChallenge(key, json['sealed']);
  const proofKey = await generateProofKey();
  const answer = await answerChallenge(app, { id: json['id'], nonce }, proofKey);
  if (answer.status !== 201) throw new Error(`the sign-in was refused: ${answer.text}`);
  const session = answer.json as unknown as DeskSession;
  const send = async (path: string, { method = 'GET', body, bytes, headers = {}, from }: DeskPost = {}) => {
    const htu = `${app.services.addresses.api}/desk${path.split('?', 1)[0]}`;
    const type = bytes ? { 'content-type': 'application/octet-stream' } : body === undefined ? {} : JSON_TYPE;
    return await app.get(`/api/desk${path}`, {
      method,
      headers: {
        ...type,
        authorization: `DPoP ${session.token}`,
        dpop: await proofKey.createProof({ htm: method, htu, token: session.token }),
        ...headers,
      },
      ...(bytes ? { body: bytes } : body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(from ? { from } : {}),
    });
  };
  return { session, proofKey, send };
}

/** Checks an answer against its schema, and that it may not be cached. */
export async function requireFit<Schema extends TSchema>(
  request: Promise<HttpsResponse>,
  schema: Schema,
): Promise<Static<Schema>> {
  const { status, json, text, headers } = await request;
  assert.equal(status, 200, text.slice(0, 300));
  assert.equal(headers['cache-control'], 'no-store');
  assert.ok(Value.Check(schema, json), JSON.stringify(Value.Errors(schema, json)).slice(0, 500));
  return json;
}

export async function assertRefused(
  request: Promise<HttpsResponse>,
  expected: readonly [status: number, code: string],
): Promise<void> {
  const { status, json, text } = await request;
  assert.deepEqual([status, json['code']], expected, text.slice(0, 300));
}
