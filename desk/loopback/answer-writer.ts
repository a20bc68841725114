/** Writes answers to the browser: pages whole or in parts, downloads, redirects, refusals. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { renderFrame } from '#desk/pages/page-frame.ts';
import { renderMovingOnPage } from '#desk/pages/plain-page.ts';
import { OCTET_STREAM } from '#platform/http/byte-body.ts';
import { plainHttpHeaders } from '#platform/http/headers.ts';
import { encodeRfc8187 } from '#platform/http/opened-file.ts';
import { toArchiveName } from '#seal/files/archive-name.ts';
import type { Asset } from '#view/hashed-file.ts';
import type { Html } from '#view/html.ts';
import type { DeskAssets } from './desk-assets.ts';
import {
  type BrowserVisit,
  type DeskAnswer,
  type DeskPage,
  isDeskPath,
  type UnlockedDesk,
} from './page-route.ts';

const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const deskHeaders = {
  ...plainHttpHeaders,
  // With `no-referrer`, Chromium would send `Origin: null` with our own forms.
  'referrer-policy': 'same-origin',
  'integrity-policy': 'blocked-destinations=(script)',
} as const;

const pageHeaders = {
  ...deskHeaders,
  'content-security-policy': PAGE_POLICY,
  'content-type': 'text/html; charset=utf-8',
} as const;

export interface AnswerContext {
  readonly assets: DeskAssets;
  readonly visit: BrowserVisit;
  readonly desk: UnlockedDesk;
  readonly signal: AbortSignal;
}

export async function writeAnswer(
  response: ServerResponse,
  answer: DeskAnswer,
  context: AnswerContext,
): Promise<void> {
  if ('redirect' in answer) return writeRedirect(response, answer.redirect);
  if ('said' in answer) return writeLine(response, answer.said, answer.status);
  if ('download' in answer) {
    response.writeHead(200, buildDownloadHeaders(toArchiveName(answer.download.name)));
    for (const chunk of answer.download.chunks) await writePart(response, chunk, context.signal);
    response.end();
    return;
  }
  await writePage(response, answer.page, answer.status ?? (answer.page.refusal ? 409 : 200), context);
}

/** Has no body and closes the connection, so that nothing else sent on it is read. */
export function writeRefusal(response: ServerResponse, status: number): void {
  const allow = status === 405 ? { allow: 'GET, POST' } : {};
  response.writeHead(status, { ...deskHeaders, ...allow, connection: 'close', 'content-length': '0' }).end();
}

export function writeRedirect(response: ServerResponse, path: string): void {
  if (!isDeskPath(path)) throw new TypeError('a redirect must lead to a path of the desk');
  response.writeHead(303, { ...deskHeaders, location: path, 'content-length': '0' }).end();
}

export function writeHtml(response: ServerResponse, page: Html, status = 200): void {
  response.writeHead(status, pageHeaders).end(page.toString());
}

/** Answers a request of the page's script. */
export function writeLine(response: ServerResponse, line: string, status = 200): void {
  response.writeHead(status, { ...deskHeaders, 'content-type': 'text/plain; charset=utf-8' }).end(line);
}

/** Not a redirect: after a visit from a file it would still count as cross-site and lack the new cookie. */
export function writeMovingOn(response: ServerResponse, path: string, cookie: string): void {
  const headers = { ...pageHeaders, refresh: `0; url=${path}`, 'set-cookie': cookie };
  response.writeHead(200, headers).end(renderMovingOnPage(path).toString());
}

/** Unless the desk is locked, the proof is followed by news, which says whether the office answers. */
export function writeProof(response: ServerResponse, proof: Uint8Array | null): void {
  const headers = { ...deskHeaders, 'content-type': OCTET_STREAM };
  if (proof) response.writeHead(200, { ...headers, 'content-length': proof.length }).end(proof);
  else writeRefusal(response, 400);
}

export async function writeAsset(response: ServerResponse, asset: Asset): Promise<void> {
  const { identity } = await asset.getContent();
  response.writeHead(200, { ...deskHeaders, 'content-type': asset.type, 'content-length': identity.length });
  response.end(identity);
}

async function writePage(
  response: ServerResponse,
  page: DeskPage,
  status: number,
  { assets, visit, desk, signal }: AnswerContext,
): Promise<void> {
  const { head, foot } = renderFrame(page, assets, visit, desk.describeFrame());
  const { main } = page;
  if (!(Symbol.asyncIterator in main)) {
    response.writeHead(status, pageHeaders).end(`${head}${main}${foot}`);
    return;
  }
  response.writeHead(status, pageHeaders).write(head.toString());
  for await (const part of main) await writePart(response, part.toString(), signal);
  response.end(foot.toString());
}

async function writePart(
  response: ServerResponse,
  part: string | Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  if (!response.write(part)) await once(response, 'drain', { signal });
}

/** A file of a case is saved, never shown, so nothing in it can run. */
function buildDownloadHeaders(name: string) {
  const plain = name.replace(/[^\w .()-]/g, '_');
  return {
    ...deskHeaders,
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'content-type': OCTET_STREAM,
    // RFC 6266 §4.3, RFC 8187 §3.2.
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encodeRfc8187(name)}`,
  };
}
