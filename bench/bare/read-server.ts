/** The baseline of the read bench: the same look-ups by prepared statements of node:sqlite, and nothing else. */
import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { FastifyRequest } from 'fastify';
import { toRowNumber } from '#store/row-number.ts';
import { startBareServer } from './bare-server.ts';

type Row = Record<string, string | number>;

const database = new DatabaseSync(process.env['DATABASE_FILE'] ?? '', { readOnly: true });
const findToken = database.prepare('select payload, expires_at from tokens where id = ?');
const findCase = database.prepare('select * from cases where id = ?');
const listObjects = database.prepare(
  'select id, kind, seq, size, kept_at from objects where case_id = ? order by kept_at, kind, seq',
);
const findKey = database.prepare('select box from case_keys where number = ?');
const findPiece = database.prepare('select bytes from objects where number = ?');

function requireToken({ headers }: FastifyRequest): void {
  const value = headers.authorization?.slice('Bearer '.length) ?? '';
  const token = findToken.get(hash('sha256', value, 'base64url')) as Row | undefined;
  if (!token || Number(token['expires_at']) <= Date.now()) throw new Error('no such token');
  const { scope } = JSON.parse(String(token['payload'])) as { scope: string };
  if (!scope.split(' ').includes('case:read')) throw new Error('another scope');
}

function requireRow(id: string): Row {
  const row = findCase.get(id);
  if (!row) throw new Error('no such case');
  return row as Row;
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}

await startBareServer((app) => {
  app.get<{ Params: { id: string } }>('/api/cases/:id', async (request) => {
    requireToken(request);
    const record = requireRow(request.params.id);
    const { box } = findKey.get(toRowNumber(request.params.id)) as { box: Uint8Array };
    const objects = listObjects.all(request.params.id) as Row[];
    const files = objects.filter(({ kind }) => !String(kind).includes('message'));
    return { ...record, case_key: toText(box), messages: objects.length - files.length, files };
  });
  app.get<{ Params: { id: string } }>('/api/cases/:id/messages', async (request) => {
    requireToken(request);
    requireRow(request.params.id);
    const objects = listObjects.all(request.params.id) as Row[];
    const messages = objects
      .filter(({ kind }) => String(kind).includes('message'))
      .map(({ id, seq, kept_at }) => {
        const { bytes } = findPiece.get(toRowNumber(String(id))) as { bytes: Uint8Array };
        return { seq, sent_at: kept_at, sealed: toText(bytes) };
      });
    return { messages };
  });
});
