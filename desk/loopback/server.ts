/** The server for one browser on this machine: every request passes the gate, then the lock, then finds its page. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CaseDraft } from '#desk/keys/draft-file.ts';
import { readUnsentForm } from '#desk/model/unsent-form.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { createFaultPage, renderPlainPage, renderUnsentPage } from '#desk/pages/plain-page.ts';
import { type LockedDeskFacts, renderUnlockPage } from '#desk/pages/unlock-page.ts';
import { readBounded } from '#platform/net/bounded-bytes.ts';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import {
  type AnswerContext,
  writeAnswer,
  writeAsset,
  writeHtml,
  writeLine,
  writeMovingOn,
  writeProof,
  writeRedirect,
  writeRefusal,
} from './answer-writer.ts';
import { type DeskAssets, listDeskAssets } from './desk-assets.ts';
import type { DeskLock } from './desk-lock.ts';
import { computeVisitProof, type DeskEntry, ENTRY_PATH, type HeldVisit, PROOF_PATH } from './entry.ts';
import { inspectRequest, type RequestFacts, readRequestFacts, readSingleHeader } from './gate.ts';
import { listenOnLoopback } from './listeners.ts';
import {
  type BrowserVisit,
  type DeskAnswer,
  type DeskRoute,
  findPageAbove,
  listRoutesAt,
  type UnlockedDesk,
} from './page-route.ts';

const UNLOCK_PATH = '/unlock';
/** The query of the unlock page after a text has been saved. */
const KEPT_QUERY = 'text';

/** Returns why the text could not be saved, or null. */
export type KeepForm = (form: CaseDraft) => Promise<string | null>;

const MEGABYTE = 1024 * 1024;
/** Far larger than any message or finding. */
const MAX_TEXT_BYTES = 4 * MEGABYTE;
/** The files of a finding, which the desk keeps in memory. */
const MAX_FILES_BYTES = 128 * MEGABYTE;
const FORM_TYPES = /^(application\/x-www-form-urlencoded|multipart\/form-data; ?boundary=\S{1,100})$/i;

type FormRefusal = 400 | 413 | 415;

const HOME_PATH = '/queue';

export interface LoopbackParts<Desk extends UnlockedDesk> {
  readonly routes: readonly DeskRoute<Desk>[];
  readonly assets: DeskAssets;
  readonly entry: DeskEntry;
  readonly lock: DeskLock<Desk>;
  /** `desk-….localhost`, or 127.0.0.1 for a browser that does not know such names. */
  readonly hostName: string;
  readonly describeLocked: () => LockedDeskFacts;
  /** Returns why it did not unlock, or null. */
  readonly unlock: (passphrase: string) => Promise<string | null>;
  readonly keepForm: KeepForm;
  /** The entry has been used, so the private file can be deleted. */
  readonly onEnter: () => void;
  /** Must not print the message, which may quote a case. */
  readonly onError: (error: unknown) => void;
}

export interface LoopbackServer {
  readonly origin: string;
  readonly port: number;
  close(): void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly facts: RequestFacts;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A request of the browser that has entered. */
interface VisitExchange extends Exchange {
  readonly visit: HeldVisit;
  readonly form: FormData;
}

export async function startLoopbackServer<Desk extends UnlockedDesk>(
  parts: LoopbackParts<Desk>,
): Promise<LoopbackServer> {
  let origin = '';
  const { port, servers } = await listenOnLoopback((request, response) => {
    answerRequest(parts, origin, request, response).catch((error: unknown) => {
      parts.onError(error);
      if (response.headersSent) response.destroy();
      else writeRefusal(response, 500);
    });
  });
  origin = `http://${parts.hostName}:${port}`;
  return {
    origin,
    port,
    close: () => {
      for (const server of servers) server.close().closeAllConnections();
    },
  };
}

async function answerRequest<Desk extends UnlockedDesk>(
  parts: LoopbackParts<Desk>,
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const facts = readRequestFacts(request);
  const refusal = inspectRequest(facts, origin);
  if (refusal) return writeRefusal(response, refusal);
  const [path = '', search = ''] = facts.target.split('?', 2);
  const exchange = { request, response, facts, path, query: new URLSearchParams(search) };
  if (facts.method === 'GET' && path.startsWith(ENTRY_PATH)) return enterDesk(parts, exchange);
  const findVisit = () => parts.entry.findVisit(facts.headers.get('cookie') ?? []);
  const visit = findVisit();
  if (!visit) return refuseVisit(exchange);
  const asset = listDeskAssets(parts.assets).find((each) => each.path === path);
  if (asset && facts.method === 'GET') return await writeAsset(response, asset);
  // Answered before the lock is checked: an open page does not mean that the investigator is at work.
  if (path === PROOF_PATH) {
    const news = parts.lock.desk?.describeNews();
    const said = news === undefined ? '' : JSON.stringify(news);
    return writeProof(response, computeVisitProof(visit, exchange.query.get('of'), said));
  }
  const form = facts.method === 'POST' ? await readForm(request) : new FormData();
  if (typeof form === 'number') return writeRefusal(response, form);
  // While the form was received, the desk may have been locked and unlocked again.
  if (!findVisit()) return refuseVisit(exchange);
  const visited = { ...exchange, visit, form };
  if (facts.method === 'POST' && !takeFormToken(form, visit)) return returnUnsentForm(visited);
  await answerVisit(parts, visited);
}

function enterDesk<Desk extends UnlockedDesk>(
  { entry, lock, onEnter }: LoopbackParts<Desk>,
  exchange: Exchange,
): void {
  const { response, path } = exchange;
  const visit = entry.enter(path.slice(ENTRY_PATH.length), lock.state !== null);
  if (!visit) {
    const text =
      'Each address works once, within a minute. Press Enter in the terminal where the desk runs for a new one.';
    writeHtml(response, renderPlainPage('This address no longer works', text), 403);
    return;
  }
  onEnter();
  writeMovingOn(response, '/', entry.formatCookie(visit));
}

/** Says only what to do, and only in a window that a person can see. */
function refuseVisit({ response, facts }: Exchange): void {
  const isSeen = readSingleHeader(facts, 'sec-fetch-dest') === 'document';
  const loss =
    facts.method === 'POST' ? 'Nothing was sent or saved: go back and copy what you have written. ' : '';
  const text = `${loss}Another window may have taken over, or the desk was restarted. Press Enter in the terminal where the desk runs for a new address.`;
  if (isSeen) writeHtml(response, renderPlainPage('This window has no access to the desk', text), 403);
  else writeRefusal(response, 403);
}

async function answerVisit<Desk extends UnlockedDesk>(
  parts: LoopbackParts<Desk>,
  exchange: VisitExchange,
): Promise<void> {
  const { entry, lock, keepForm } = parts;
  const { response, facts, path } = exchange;
  const at = `${facts.method} ${path}`;
  if (at === 'POST /lock') {
    lock.lock('button');
    return writeRedirect(response, UNLOCK_PATH);
  }
  if (at === 'POST /settings/keys') {
    entry.switchSingleKeys();
    return writeRedirect(response, HOME_PATH);
  }
  if (at === `POST ${UNLOCK_PATH}`) return await unlockDesk(parts, exchange);
  const held = lock.takeDesk();
  if (!held && facts.method === 'POST') return await keepUnsentForm(exchange, keepForm);
  if (!held) return showLocked(parts, exchange);
  if (path === '/' || path === UNLOCK_PATH) return writeRedirect(response, HOME_PATH);
  await answerPage(parts, exchange, held);
}

function showLocked<Desk extends UnlockedDesk>(
  { assets, lock, describeLocked }: LoopbackParts<Desk>,
  { response, facts, path, query, visit }: VisitExchange,
  fault?: string,
): void {
  const { state } = lock;
  const isAsked = facts.method === 'GET' && path === UNLOCK_PATH;
  if (!state) writeRedirect(response, HOME_PATH);
  else if (!fault && !isAsked) writeRedirect(response, UNLOCK_PATH);
  else {
    const isKept = query.has(KEPT_QUERY);
    const page = renderUnlockPage({ assets, visit, state, facts: describeLocked(), fault, isKept });
    writeHtml(response, page, fault ? 422 : 200);
  }
}

/** Ends the visit of the locked desk: cookie and token are new. */
async function unlockDesk<Desk extends UnlockedDesk>(
  parts: LoopbackParts<Desk>,
  exchange: VisitExchange,
): Promise<void> {
  const { lock, entry, unlock } = parts;
  if (!lock.state || !exchange.visit.mayUnlock) return showLocked(parts, exchange);
  const passphrase = exchange.form.get('passphrase');
  const fault = await unlock(typeof passphrase === 'string' ? passphrase.normalize('NFC') : '');
  if (fault !== null) return showLocked(parts, exchange, fault);
  writeMovingOn(exchange.response, HOME_PATH, entry.formatCookie(entry.startVisit()));
}

async function answerPage<Desk extends UnlockedDesk>(
  { routes, assets, onError, keepForm }: LoopbackParts<Desk>,
  exchange: VisitExchange,
  { desk, signal: locked }: { readonly desk: Desk; readonly signal: AbortSignal },
): Promise<void> {
  const { response, facts, path, query, form } = exchange;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const signal = AbortSignal.any([locked, gone.signal]);
  const atPath = listRoutesAt(routes, path);
  const found = atPath.find(({ route }) => route.method === facts.method);
  const above = findPageAbove(routes, path) ?? HOME_PATH;
  const visit: BrowserVisit = { ...exchange.visit, path: above === path ? facts.target : above };
  const context: AnswerContext = { assets, visit, desk, signal };
  if (!found && atPath.length > 0) return writeRefusal(response, 405);
  try {
    const answer: DeskAnswer = found
      ? await found.route.answer({ params: found.params, query, form, visit, desk, signal })
      : {
          page: createFaultPage('There is no such page', 'The address may be mistyped.'),
          status: 404,
        };
    // Any other answer means that nothing was saved: a page has the text in its field again, or a status says so.
    const isDone = 'redirect' in answer || ('said' in answer && answer.status === undefined);
    if (locked.aborted && !isDone) return await keepUnsentForm(exchange, keepForm);
    if (locked.aborted) return writeRedirect(response, UNLOCK_PATH);
    await writeAnswer(response, answer, context);
  } catch (error) {
    if (gone.signal.aborted) return;
    if (response.headersSent) return void response.destroy();
    if (locked.aborted) return await keepUnsentForm(exchange, keepForm);
    // Faults of the office have a sentence for the investigator; any other message may quote a case.
    const text = error instanceof OfficeFault ? error.message : null;
    if (text === null) onError(error);
    const unsent = readUnsentForm(path, form);
    if (unsent) {
      const fault = text ?? `That did not work. ${SEE_TERMINAL}`;
      const why = path.endsWith('/drafts') ? fault : `${fault} ${COPY_YOUR_TEXT}`;
      return giveTextsBack(exchange, 502, why, unsent);
    }
    const page = createFaultPage('That did not work', text ?? SEE_TERMINAL);
    await writeAnswer(response, { page, status: 502 }, context);
  }
}

async function readForm(request: IncomingMessage): Promise<FormData | FormRefusal> {
  const type = (request.headers['content-type'] ?? '').replace(/; ?charset=utf-8$/i, '');
  const kind = FORM_TYPES.exec(type)?.[1];
  if (kind === undefined) return 415;
  const maxBytes = kind.startsWith('multipart') ? MAX_FILES_BYTES : MAX_TEXT_BYTES;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return 413;
  const body = await readBounded(request, maxBytes);
  if (body === null) return 413;
  return (await parseForm(type, body)) ?? 400;
}

/** Takes the token out of the form and checks it; without the visit's token no form has any effect. */
function takeFormToken(form: FormData, { formToken }: HeldVisit): boolean {
  const tokens = form.getAll('token');
  const [token] = tokens;
  form.delete('token');
  return tokens.length === 1 && typeof token === 'string' && isEqualInConstantTime(token, formToken);
}

async function parseForm(type: string, body: Buffer): Promise<FormData | null> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  } catch {
    return null;
  }
}

const COPY_YOUR_TEXT =
  'Copy your text before you leave this page. If you were sending it, it may have arrived: read the conversation first.';

const SEE_TERMINAL = 'See the terminal where the desk runs for details.';

/** Keeps the text of a form, then leads to unlocking, like every page of a locked desk. */
async function keepUnsentForm(exchange: VisitExchange, keepForm: KeepForm): Promise<void> {
  const { response, path, form } = exchange;
  const unsent = readUnsentForm(path, form);
  if (!unsent) return writeRedirect(response, UNLOCK_PATH);
  const fault = await keepForm(unsent);
  if (fault === null) return writeRedirect(response, `${UNLOCK_PATH}?${KEPT_QUERY}=kept`);
  const why = `The desk was locked, and your text could not be kept: ${fault.replace(/\.$/, '')}. ${COPY_YOUR_TEXT}`;
  giveTextsBack(exchange, 503, why, unsent);
}

/** A page from before the lock has an old token, so it changes nothing; but its author gets the text back. */
function returnUnsentForm(exchange: VisitExchange): void {
  const unsent = readUnsentForm(exchange.path, exchange.form);
  const why =
    'This page was loaded before the desk was locked, so nothing was sent or saved. Copy your text, open the case again, and paste it there.';
  if (unsent) giveTextsBack(exchange, 403, why, unsent);
  else writeRefusal(exchange.response, 403);
}

/** A page that saves by itself still has its text, so it gets only the reason. */
function giveTextsBack({ response, path }: Exchange, status: number, why: string, unsent: CaseDraft): void {
  const { files: _files, ...texts } = unsent.fields;
  if (path.endsWith('/drafts')) writeLine(response, `not saved: ${why}`, status);
  else writeHtml(response, renderUnsentPage(why, Object.values(texts)), status);
}
