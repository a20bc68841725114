/** Reads a posted form, of texts or with files, and compares its token. */
import type { IncomingMessage } from 'node:http';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import type { BrowserVisit } from './page-route.ts';

const MEGABYTE = 1024 * 1024;
/** Far above any message or finding. */
const MAX_TEXT_BYTES = 4 * MEGABYTE;
/** The files of a finding, which are sealed as soon as they are here. */
const MAX_FILES_BYTES = 128 * MEGABYTE;
const FORM_TYPES = /^(application\/x-www-form-urlencoded|multipart\/form-data; ?boundary=\S{1,100})$/i;

export type FormRefusal = 400 | 413 | 415;

export async function readForm(request: IncomingMessage): Promise<FormData | FormRefusal> {
  const type = (request.headers['content-type'] ?? '').replace(/; ?charset=utf-8$/i, '');
  const kind = FORM_TYPES.exec(type)?.[1];
  if (kind === undefined) return 415;
  const body = await readBody(request, kind.startsWith('multipart') ? MAX_FILES_BYTES : MAX_TEXT_BYTES);
  if (body === null) return 413;
  return (await parseForm(type, body)) ?? 400;
}

/** Nothing that a form asks for is done before its token is found to be that of the visit. */
export function takeFormToken(form: FormData, { formToken }: BrowserVisit): boolean {
  const tokens = form.getAll('token');
  const [token] = tokens;
  form.delete('token');
  return tokens.length === 1 && typeof token === 'string' && isEqualInConstantTime(token, formToken);
}

/** Null as soon as it is too long. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return null;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function parseForm(type: string, body: Buffer): Promise<FormData | null> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  } catch {
    return null;
  }
}
